"""What a voice says to show itself: a sentence in a language that it speaks, so that no other voice has to step in."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale

SENTENCES = {
    "ar": "هكذا يبدو صوتي. أستطيع أن أقرأ كل ما تختاره.",
    "bg": "Така звучи гласът ми. Мога да прочета всичко, което изберете.",
    "cs": "Takhle zním. Přečtu cokoli, co vyberete.",
    "da": "Sådan lyder jeg. Jeg kan læse alt, hvad du vælger.",
    "de": "So klinge ich. Ich lese alles vor, was du auswählst.",
    "el": "Έτσι ακούγομαι. Μπορώ να διαβάσω ό,τι επιλέξετε.",
    "en": "This is how I sound. I can read anything you select, in any program.",
    "es": "Así sueno. Puedo leer todo lo que selecciones.",
    "fi": "Tältä minä kuulostan. Voin lukea kaiken, minkä valitset.",
    "fr": "Voici ma voix. Je peux lire tout ce que vous sélectionnez.",
    "he": "כך אני נשמע. אני יכול לקרוא כל מה שתבחרו.",
    "hi": "मेरी आवाज़ ऐसी है। आप जो भी चुनें, मैं पढ़ सकता हूँ।",
    "hu": "Így szólok. Bármit felolvasok, amit kijelöl.",
    "id": "Beginilah suara saya. Saya bisa membaca apa saja yang Anda pilih.",
    "it": "Questa è la mia voce. Posso leggere tutto ciò che selezioni.",
    "ja": "これが私の声です。選んだ文章を何でも読み上げます。",
    "ko": "제 목소리는 이렇습니다. 선택하신 글은 무엇이든 읽어 드립니다.",
    "nl": "Zo klink ik. Ik kan alles voorlezen wat je selecteert.",
    "no": "Slik høres jeg ut. Jeg kan lese alt du velger.",
    "pl": "Tak brzmi mój głos. Mogę przeczytać wszystko, co zaznaczysz.",
    "pt": "Esta é a minha voz. Posso ler tudo o que você selecionar.",
    "ro": "Așa sună vocea mea. Pot citi tot ce selectați.",
    "ru": "Вот как я звучу. Я могу прочитать всё, что вы выделите.",
    "sk": "Takto zniem. Prečítam čokoľvek, čo vyberiete.",
    "sv": "Så här låter jag. Jag kan läsa allt du markerar.",
    "tr": "Sesim böyle. Seçtiğiniz her şeyi okuyabilirim.",
    "uk": "Ось так я звучу. Я можу прочитати все, що ви виділите.",
    "vi": "Giọng của tôi là như thế này. Tôi có thể đọc mọi thứ bạn chọn.",
    "zh": "这就是我的声音。你选中的文字，我都可以读给你听。",
}
"""By ISO 639-1 code."""


def preview(languages: Sequence[str], own: str = "") -> tuple[str, str]:
    """Language and sentence for a voice that speaks ``languages``: its ``own`` one, else the user's, else English, else
    its first. In a language without a sentence here it says the English one in its own way."""
    user = QLocale.system().name().split("_")[0]
    spoken = (code for code in (user, "en") if code in languages)
    language = own or next(spoken, languages[0] if languages else "")
    return language, SENTENCES.get(language, SENTENCES["en"])
