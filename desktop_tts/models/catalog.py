"""The published Qwen3-TTS models, pinned: revision, and size and SHA-256 of every file that the engine needs.

The codec and tokenizer files are the same in all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from desktop_tts.errors import SettingsError


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model directory."""

    path: str
    """Relative, with forward slashes."""
    size: int
    """Bytes."""
    sha256: str


@dataclass(frozen=True, slots=True)
class Model:
    """A model that can be downloaded."""

    key: str
    """Short name for the command line and the settings."""
    repository: str
    """Name on both hubs."""
    revision: str
    """Commit on the first hub; the second is checked by hashes alone."""
    kind: str
    """``custom_voice``, ``voice_design`` or ``base``."""
    summary: str
    files: tuple[ModelFile, ...]

    @property
    def name(self) -> str:
        """For people: ``"Qwen3-TTS 0.6B Base"``."""
        size, kind = self.repository.rsplit("-", 2)[1:]
        return f"Qwen3-TTS {size} {kind}"

    @property
    def size(self) -> int:
        """Bytes of the whole download."""
        return sum(file.size for file in self.files)


_SHARED = (
    ModelFile("generation_config.json", 245, "f1b90b4513f3b34c62851049e2492d7b4c5940daf1276f89c82b8ef04127f3aa"),
    ModelFile("merges.txt", 1_671_839, "599bab54075088774b1733fde865d5bd747cbcc7a547c5bc12610e874e26f5e3"),
    ModelFile("preprocessor_config.json", 127, "efdde1022ea9d76928bf7a9cd53139138f5ba2e466e837f08f6105ab1af1c119"),
    ModelFile("tokenizer_config.json", 7_344, "dc3c31c3bdaedd5016382bb3cbe07323026775ad51f5a4fb564505992ae4a670"),
    ModelFile("vocab.json", 2_776_833, "ca10d7e9fb3ed18575dd1e277a2579c16d108e32f27439684afa0e10b1440910"),
    ModelFile(
        "speech_tokenizer/config.json", 2_336, "ee65bb901c876664ab8707c487157aa1a6ee57c65969b28fb5ec9dc211e68167"
    ),
    ModelFile(
        "speech_tokenizer/configuration.json", 76, "6bc26d64eb5024b4d1dab5a52371958b429256d6c9d59787f1f5294a54e0cebd"
    ),
    ModelFile(
        "speech_tokenizer/preprocessor_config.json",
        234,
        "fcb3805e597e786d4067706e602f6688524640f8d3396790e2e09b5942fcbdfb",
    ),
    ModelFile(
        "speech_tokenizer/model.safetensors",
        682_293_092,
        "836b7b357f5ea43e889936a3709af68dfe3751881acefe4ecf0dbd30ba571258",
    ),
)


def _model(key: str, name: str, revision: str, kind: str, summary: str, config: ModelFile, weights: ModelFile) -> Model:
    return Model(key, f"Qwen/Qwen3-TTS-12Hz-{name}", revision, kind, summary, (config, *_SHARED, weights))


MODELS: tuple[Model, ...] = (
    _model(
        "0.6b-custom-voice",
        "0.6B-CustomVoice",
        "85e237c12c027371202489a0ec509ded67b5e4b5",
        "custom_voice",
        "nine speakers, ten languages; the fastest",
        ModelFile("config.json", 4_908, "81aca2b6fac304944d8acf345272d8a9a727d5fc2e2e66b222ab4729340c7455"),
        ModelFile(
            "model.safetensors", 1_811_626_576, "bc3c7e785eb961179c25450d1acff03f839e0002f2f3a5aeb67b5735c0fa2adb"
        ),
    ),
    _model(
        "1.7b-custom-voice",
        "1.7B-CustomVoice",
        "0c0e3051f131929182e2c023b9537f8b1c68adfe",
        "custom_voice",
        "nine speakers, ten languages, follows instructs",
        ModelFile("config.json", 4_908, "17a07f527a1c25ea30b4e023a184482a23d3e279d697b1dc81b1bde498d29cf9"),
        ModelFile(
            "model.safetensors", 3_833_402_552, "38b1d5971bdbd982b561cccec982669a53b0537c3cf5e9bd4778ed07bb2f5137"
        ),
    ),
    _model(
        "1.7b-voice-design",
        "1.7B-VoiceDesign",
        "5ecdb67327fd37bb2e042aab12ff7391903235d3",
        "voice_design",
        "makes a voice from a description",
        ModelFile("config.json", 4_421, "aecd2cc4c1fe9edef1cb7ca7c401685a43879ad43f3f9e883f1c6760b61731e0"),
        ModelFile(
            "model.safetensors", 3_833_402_552, "391e8db219f292c515297cdceeb43e4eae67cdde35fa57e79a6a8a532fca0522"
        ),
    ),
    _model(
        "0.6b-base",
        "0.6B-Base",
        "5d83992436eae1d760afd27aff78a71d676296fc",
        "base",
        "speaks with a voice cloned from a recording; the fastest",
        ModelFile("config.json", 4_494, "2e714c787c8edb98b05432685cddb634add2de4d4e645f653d68251ef72ba011"),
        ModelFile(
            "model.safetensors", 1_829_344_272, "180b3b10eb1c9f1b4db7806d5475bae3071c0243c299d49926bab1da3b6946f6"
        ),
    ),
    _model(
        "1.7b-base",
        "1.7B-Base",
        "fd4b254389122332181a7c3db7f27e918eec64e3",
        "base",
        "speaks with a voice cloned from a recording",
        ModelFile("config.json", 4_494, "b4f01752d15a488abde3e1ab44723ae4f4b9e68a4037257b098b3737893cc1f9"),
        ModelFile(
            "model.safetensors", 3_857_413_744, "38fc7fc51c5e776e840414b6fd443962e9411b9654888fd7913e4da643cb857c"
        ),
    ),
)


def model(key: str) -> Model:
    """The model with this key or repository name, in any case. Raises SettingsError that lists them."""
    wanted = key.lower().removeprefix("qwen/").removeprefix("qwen3-tts-12hz-").replace("customvoice", "custom-voice")
    wanted = wanted.replace("voicedesign", "voice-design")
    for known in MODELS:
        if known.key == wanted:
            return known
    raise SettingsError(f"There's no model {key!r}.", "The models are: " + ", ".join(m.key for m in MODELS) + ".")
