"""What to read aloud into the microphone, and what to hear in the new voice, in the languages that models clone in."""

from __future__ import annotations

from PySide6.QtCore import QLocale

LANGUAGES = ("en", "zh", "de", "fr", "es", "it", "pt", "ru", "ja", "ko")

_PASSAGES = {
    "en": "On Sunday morning we walked along the river. The air was still cool, and the birds had just begun to sing. "
    "“Shall we go on to the old bridge?” she asked. Of course we did!",
    "de": "Am Sonntagmorgen gingen wir am Fluss entlang. Die Luft war noch kühl, und die Vögel fingen gerade an zu "
    "singen. „Gehen wir weiter bis zur alten Brücke?“, fragte sie. Natürlich gingen wir!",
    "fr": "Dimanche matin, nous avons marché le long de la rivière. L'air était encore frais, et les oiseaux "
    "commençaient à chanter. « On va jusqu'au vieux pont ? » demanda-t-elle. Bien sûr que oui !",
    "es": "El domingo por la mañana paseamos junto al río. El aire aún estaba fresco y los pájaros acababan de empezar "
    "a cantar. «¿Seguimos hasta el puente viejo?», preguntó. ¡Claro que sí!",
    "it": "Domenica mattina abbiamo camminato lungo il fiume. L'aria era ancora fresca e gli uccelli avevano appena "
    "iniziato a cantare. «Andiamo fino al vecchio ponte?» chiese lei. Certo che sì!",
    "pt": "No domingo de manhã caminhamos ao longo do rio. O ar ainda estava fresco e os pássaros começavam a cantar. "
    "“Vamos até a ponte velha?”, perguntou ela. Claro que fomos!",
    "ru": "В воскресенье утром мы гуляли вдоль реки. Воздух был ещё прохладным, и птицы только начинали петь. "
    "«Пойдём до старого моста?» — спросила она. Конечно, мы пошли!",
    "zh": "星期天早上，我们沿着河边散步。空气还很凉爽，鸟儿刚刚开始歌唱。“我们走到那座老桥去吧？”她问道。当然要去！",
    "ja": "日曜日の朝、私たちは川沿いを歩きました。空気はまだ涼しく、鳥たちが歌い始めたところでした。"
    "「古い橋まで行きませんか」と彼女は聞きました。もちろん行きました！",
    "ko": "일요일 아침에 우리는 강을 따라 걸었습니다. 공기는 아직 서늘했고 새들이 막 노래하기 시작했습니다. "
    "“오래된 다리까지 갈까요?” 그녀가 물었습니다. 물론 갔지요!",
}
_SENTENCES = {
    "en": "Hello! This is how I sound when I read to you.",
    "de": "Hallo! So klinge ich, wenn ich dir etwas vorlese.",
    "fr": "Bonjour ! Voici comment je lis à voix haute.",
    "es": "¡Hola! Así sueno cuando te leo en voz alta.",
    "it": "Ciao! Ecco come suona la mia voce quando leggo per te.",
    "pt": "Olá! É assim que eu soo quando leio para você.",
    "ru": "Привет! Вот так я звучу, когда читаю вслух.",
    "zh": "你好！这就是我为你朗读时的声音。",
    "ja": "こんにちは。私が読み上げるとこんな声になります。",
    "ko": "안녕하세요! 제가 글을 읽어 드리면 이런 목소리입니다.",
}


def passage(language: str) -> str:
    """About ten seconds of varied speech, or empty for a language that has none."""
    return _PASSAGES.get(language, "")


def sentence(language: str) -> str:
    """Something to try a voice with."""
    return _SENTENCES.get(language, _SENTENCES["en"])


def own_language() -> str:
    """The desktop's language, if it is one of ``LANGUAGES``, else English."""
    code = QLocale.system().name().partition("_")[0]
    return code if code in LANGUAGES else "en"
