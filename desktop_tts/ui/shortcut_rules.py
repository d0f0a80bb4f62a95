"""Which keys can be a hotkey everywhere on a desktop. Pure functions."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QKeyCombination, Qt
from PySide6.QtGui import QKeySequence

translate = QCoreApplication.translate

_M = Qt.KeyboardModifier
_K = Qt.Key
HELD = _M.ControlModifier | _M.ShiftModifier | _M.AltModifier | _M.MetaModifier
"""Keys that are held for a hotkey."""
MODIFIER_KEYS = frozenset(
    {
        *(_K.Key_Control, _K.Key_Shift, _K.Key_Alt, _K.Key_Meta, _K.Key_AltGr, _K.Key_Super_L, _K.Key_Super_R),
        *(_K.Key_Hyper_L, _K.Key_Hyper_R, _K.Key_CapsLock, _K.Key_NumLock, _K.Key_ScrollLock, _K.Key_Mode_switch),
    }
)
_ALONE = frozenset(
    {
        *(_K(_K.Key_F1.value + n) for n in range(24)),
        *(_K.Key_Pause, _K.Key_Print, _K.Key_Help, _K.Key_Menu),
        *(key for key in _K if _K.Key_Back.value <= key.value <= _K.Key_MediaLast.value),
    }
)
"""Function and media keys: nobody types with them, so they need no other key."""


def held_keys(modifiers: Qt.KeyboardModifier) -> Qt.KeyboardModifier:
    """Without the keypad's and the layout switch's flags."""
    return modifiers & HELD


def objection(key: Qt.Key, modifiers: Qt.KeyboardModifier) -> str:
    """Why these keys can't be a hotkey, or empty."""
    modifiers = held_keys(modifiers)
    if key == _K.Key_unknown or not QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText):
        return translate("shortcuts", "This key has no name here. Choose another one.")
    if key in _ALONE:
        return ""
    if not modifiers & ~_M.ShiftModifier:
        return translate("shortcuts", "Hold Ctrl, Alt or the Super key as well: you type with this key alone.")
    if modifiers & _M.ShiftModifier and _is_symbol(key):
        return translate("shortcuts", "With Shift, choose a letter or a function key: signs change with the keyboard.")
    return ""


def _is_symbol(key: Qt.Key) -> bool:
    return 0x20 < key.value < 0x01000000 and not chr(key.value).isalpha()


def portable(key: Qt.Key, modifiers: Qt.KeyboardModifier) -> str:
    """As the settings keep it: ``Meta+Alt+R``."""
    return QKeySequence(QKeyCombination(held_keys(modifiers), key)).toString(QKeySequence.SequenceFormat.PortableText)
