"""The little words that nearly every sentence has, for the languages that are mistaken for each other.

A statistical detector is thrown off by names and technical terms; these words aren't names.
"""

from __future__ import annotations

import re
from collections import defaultdict

_WORDS = {
    "en": "i the of and to in is are was were be been for with that this it you he she they we not on at by"
    " from or as an have has had will would can could should may do does did but if which who what when"
    " where how there their its your his her our my all any no more than then so about into out up just"
    " now also only please",
    "de": "der die das den dem des ein eine einen einem einer und ist sind war nicht mit für auf von zu im in"
    " zum zur wird werden wurde auch aus bei oder als wie ich sie er wir ihr es man kann hat haben sich"
    " nach durch über keine kein nur noch wenn dass aber um am an bitte",
    "fr": "le la les un une des de du et est sont ne pas pour dans sur avec par au aux ce cette ces que qu qui"
    " il elle nous vous je on son sa ses leur plus ou où mais être été a ont fait comme se en y votre sans",
    "es": "el la los las un una de del y e es son no se por para con en que al lo su sus como más o pero fue ha"
    " han está este esta si sin sobre entre ya muy también hay yo ser cuando",
    "it": "il lo la i gli le un una uno di del della dei delle dell e è sono non si per con in che al alla ai"
    " da dal dalla nel nella su come più o ma ha hanno questo questa se anche ci era essere senza",
    "pt": "o a os as um uma de do da dos das e é são não se por para com em no na nos nas que ao à como mais ou"
    " mas foi tem este esta isso ser está pelo pela seu sua você também já muito sem",
    "nl": "de het een en van is zijn was niet met voor op in te aan om bij uit als of dat dit die deze er ook"
    " naar door over wordt worden kan maar geen nog ik je u wij ze hij heeft hebben tot moet",
    "sv": "och att det som en ett är för på av med den till inte i har de om var från vid eller så kan men ska"
    " finns jag du han hon vi när utan inga ingen efter",
    "da": "og at det som en et er for på af med den til ikke i har de om var fra ved eller så kan men skal jeg"
    " du han hun vi når uden ingen efter blev der",
    "pl": "i w na z że się nie do jest to o od za po dla przez jak być są lub oraz ale czy tylko może tym tego"
    " ten przy bez już",
    "tr": "ve bir bu için ile de da değil ne olarak çok daha gibi var yok olan en mi",
}  # fmt: skip

_BY_WORD: dict[str, list[str]] = {}
for _language, _words in _WORDS.items():
    for _word in _words.split():
        _BY_WORD.setdefault(_word, []).append(_language)
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 60
"""Words looked at."""


WELL_KNOWN = frozenset(_WORDS)
"""The languages whose little words are known here."""


def function_words(text: str) -> defaultdict[str, float]:
    """How much the little words of ``text`` speak for each language; a word that two share counts half for each."""
    found: defaultdict[str, float] = defaultdict(float)
    for count, word in enumerate(_WORD.finditer(text.lower())):
        if count >= _ENOUGH:
            break
        languages = _BY_WORD.get(word.group(), ())
        for language in languages:
            found[language] += 1 / len(languages)
    return found
