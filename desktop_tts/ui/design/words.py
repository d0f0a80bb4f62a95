"""Descriptions and sentences to start from."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate

SENTENCES = {
    "en": "The tide comes in twice a day, and brings the boats home with it.",
    "de": "Zweimal am Tag kommt die Flut und bringt die Boote mit nach Hause.",
    "fr": "La marée monte deux fois par jour et ramène les bateaux au port.",
    "es": "La marea sube dos veces al día y trae los barcos de vuelta a casa.",
    "it": "La marea sale due volte al giorno e riporta a casa le barche.",
    "pt": "A maré sobe duas vezes por dia e traz os barcos de volta para casa.",
    "ru": "Прилив приходит дважды в день и приводит лодки домой.",
    "zh": "潮水每天涨两次,把船只带回家。",
    "ja": "潮は一日に二度満ちて、船を港へ連れて帰ります。",
    "ko": "밀물은 하루에 두 번 들어와 배들을 집으로 데려옵니다.",
}
"""What a draw says unless the user writes something else, by language."""


def examples() -> tuple[tuple[str, str], ...]:
    """Short names and descriptions. The descriptions are for the model, which is best at English and Chinese."""
    return (
        (
            translate("design", "Calm narrator"),
            "A calm woman of about fifty with a low, warm voice, who reads slowly and clearly, as by a fire.",
        ),
        (
            translate("design", "Newsreader"),
            "A man of about forty with a clear, even, trustworthy voice, who speaks briskly, as in the evening news.",
        ),
        (
            translate("design", "Cheerful guide"),
            "A bright, friendly young woman with a lively melody, who smiles while she speaks.",
        ),
        (
            translate("design", "Old storyteller"),
            "An old man with a deep, slightly hoarse, gentle voice, who takes his time and makes pauses.",
        ),
        (
            translate("design", "Clear teacher"),
            "A woman of about thirty who pronounces every word distinctly, at an even, unhurried pace.",
        ),
    )
