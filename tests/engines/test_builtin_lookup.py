"""The packed word lists answer as the parsed ones."""

import gzip
import json
from pathlib import Path

import hibari
import pytest

from desktop_tts.engines.builtin_lookup import PackedObject, packed_file, packed_tagger

ASSETS = Path(hibari.__file__).parent / "assets"


def same(packed, plain):
    assert len(packed) == len(plain)
    assert set(packed.keys()) == plain.keys()
    assert all(packed.get(key) == value for key, value in plain.items())


@pytest.mark.parametrize("name", ["lexicon_us_gold.json.gz", "lexicon_us_silver.json.gz"])
def test_every_word_of_a_lexicon_is_found(name):
    plain = json.loads(gzip.decompress((ASSETS / name).read_bytes()))
    packed = packed_file(ASSETS / name)
    same(packed, plain)
    missing = [word + "q" for word in list(plain)[:2000] if word + "q" not in plain]
    assert all(packed.get(word) is None for word in missing)
    assert packed.get("") is packed.get('"') is packed.get("\ud800") is packed.get("DEFAULT") is None


def test_every_weight_of_the_tagger_is_found():
    plain = json.loads(gzip.decompress((ASSETS / "tagger.json.gz").read_bytes()))
    packed = packed_tagger(ASSETS / "tagger.json.gz")
    same(packed["weights"], plain["weights"])
    assert {key: packed[key] for key in plain if key != "weights"} == {k: v for k, v in plain.items() if k != "weights"}


def test_values_may_be_objects_and_text_of_any_script():
    plain = {"a": "x", "read": {"VB": "ɹˈid", "VBD": "ɹˈɛd"}, "é": "ˈA", "z": "last"}
    same(PackedObject(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()), plain)


def test_equal_pronunciations_to_hibari_s_own(builtin):
    from hibari.g2p import G2P

    own = G2P()
    for text in (
        "They read the record that the dove dove into the live wind.",
        "Dr. Smith's 3 dogs' $5.50 toys, I'd used to use, re-recorded on 3/4/2027!",
        "Zxorbling McTavish emailed bob@example.com about state-of-the-art C++ and NASA.",
    ):
        ours = "".join(token.phonemes + " " * token.space for token in builtin._loaded().tokens(text)).strip()
        assert ours == own(text)
