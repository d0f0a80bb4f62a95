"""Who reads which text."""

import subprocess
import sys

import pytest

from desktop_tts.engines import catalog as module
from desktop_tts.engines.catalog import Catalog, default_engines, engine_status
from desktop_tts.engines.fake import FakeEngine
from desktop_tts.errors import NotInstalled, Unsupported
from desktop_tts.speech import Capabilities, Voice


class Engine(FakeEngine):
    """Voices given as "name: languages"."""

    def __init__(self, id_, problem="", download=(), **voices):
        super().__init__()
        self.id, self.name, self.problem, self.download, self.given = id_, id_.title(), problem, download, voices

    def available(self):
        return self.problem

    def capabilities(self):
        return Capabilities(frozenset(" ".join(self.given.values()).split()), 24_000)

    def voices(self):
        return tuple(
            Voice(f"{self.id}:{name}", name.title(), self.id, tuple(codes.split()), "", name in self.download)
            for name, codes in self.given.items()
        )


@pytest.fixture
def catalog():
    return Catalog(
        [
            Engine("first", heart="en"),
            Engine("second", anna="de", paul="de fr"),
            Engine("third", all="en de fr es ru"),
            Engine("gone", "Install gone first.", lost="ja"),
            Engine("later", download=("big",), big="it en", small="it"),
        ]
    )


@pytest.mark.parametrize(
    ("language", "preferred", "by_language", "chosen"),
    [
        ("en", "first:heart", {}, "first:heart"),
        ("en", "third:all", {}, "third:all"),
        ("de", "first:heart", {}, "second:anna"),
        ("de", "first:heart", {"de": "second:paul"}, "second:paul"),
        ("de", "third:all", {"de": "second:paul"}, "second:paul"),
        ("de", "nowhere:x", {"de": "second:paul"}, "second:paul"),
        ("fr", "first:heart", {"de": "third:all"}, "second:paul"),
        ("es", "", {}, "third:all"),
        ("it", "first:heart", {}, "later:small"),
        ("de", "first:heart", {"de": "first:heart"}, "second:anna"),
    ],
)
def test_who_reads(catalog, language, preferred, by_language, chosen):
    choice = catalog.choose(language, preferred, by_language)
    assert choice.voice.id == chosen
    assert choice.engine.id == choice.voice.engine
    assert choice.note == ""


@pytest.mark.parametrize(
    ("preferred", "by_language", "words"),
    [
        ("first:nobody", {}, ["first:nobody", "Anna reads instead"]),
        ("nowhere:x", {}, ["nowhere:x", "Anna reads instead"]),
        ("nonsense", {}, ["nonsense", "Anna reads instead"]),
        ("gone:lost", {}, ["Install gone first.", "Anna reads instead"]),
        ("later:big", {}, ["downloaded first", "Anna reads instead"]),
        ("first:heart", {"de": "nowhere:y"}, ["nowhere:y", "Anna reads instead"]),
    ],
)
def test_a_voice_that_is_not_there_is_replaced_and_told(catalog, preferred, by_language, words):
    choice = catalog.choose("de", preferred, by_language)
    assert choice.voice.id.startswith("second:")
    assert all(word in choice.note for word in words), choice.note


def test_a_language_that_nobody_speaks_is_named_with_what_to_do(catalog, monkeypatch):
    monkeypatch.setattr(module.sys, "platform", "linux")
    with pytest.raises(Unsupported) as failure:
        catalog.choose("ja", "first:heart", {})
    assert str(failure.value) == (
        "This text is in Japanese and no installed voice speaks Japanese. Install gone first."
    )
    monkeypatch.setattr(module.sys, "platform", "darwin")
    with pytest.raises(Unsupported, match="Add a Japanese voice in System Settings"):
        catalog.choose("ja", "first:heart", {})


def test_without_espeak_russian_is_not_read_and_the_remedy_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "apt").write_text("#!/bin/sh\n")
    (tmp_path / "apt").chmod(0o755)
    with pytest.raises(Unsupported) as failure:
        Catalog(default_engines()).choose("ru", "builtin:heart", {})
    assert "Russian" in str(failure.value)
    assert "sudo apt install espeak-ng" in str(failure.value)


def test_no_engine_at_all():
    with pytest.raises(Unsupported, match="English"):
        Catalog([]).choose("en", "builtin:heart", {})


def test_voices_are_those_of_engines_that_work(catalog):
    ids = [voice.id for voice in catalog.voices()]
    assert ids == ["first:heart", "second:anna", "second:paul", "third:all", "later:big", "later:small"]
    assert catalog.voice("second:paul").name == "Paul"
    assert catalog.voice(" PAUL ").id == "second:paul"
    for missing in ("second:nobody", "gone:lost", ""):
        with pytest.raises(NotInstalled):
            catalog.voice(missing)


def test_a_name_that_two_voices_have_is_told_with_their_ids():
    catalog = Catalog([Engine("first", anna="en"), Engine("second", anna="de")])
    with pytest.raises(NotInstalled, match=r"Several voices are called \"anna\"\..*first:anna, second:anna"):
        catalog.voice("anna")


def test_the_real_engines(monkeypatch):
    catalog = Catalog(default_engines())
    assert catalog.engines[0].id == "builtin"
    assert catalog.choose("en", "builtin:heart", {}).voice.id == "builtin:heart"
    assert catalog.choose("de", "builtin:heart", {}).voice.id == "espeak:de"
    assert catalog.choose("en", "espeak:en", {}).voice.id == "espeak:en"


def test_the_status_of_every_engine(catalog):
    found = {status.id: status for status in engine_status(catalog.engines)}
    assert found["gone"].problem == "Install gone first."
    assert (found["second"].voices, found["second"].languages) == (2, 2)
    assert [status.problem for status in engine_status()] == ["", ""]


def test_making_the_list_loads_nothing():
    script = (
        "import sys\nfrom desktop_tts.engines.catalog import Catalog, default_engines\n"
        "Catalog(default_engines()).choose('en', 'builtin:heart', {})\n"
        "assert not {'hibari', 'onnxruntime', 'PySide6', 'torch', 'scipy'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0
