"""The Qt binding itself: what made a version unusable must not come back with the next one."""

import sys

from PySide6.QtCore import QObject, Signal


def test_emitting_a_signal_takes_no_reference_from_true(qapp):
    class Sender(QObject):
        sent = Signal(object)

    sender = Sender()
    sender.sent.connect(lambda _: None)
    before = sys.getrefcount(True)
    for _ in range(100):
        sender.sent.emit(1)
    assert sys.getrefcount(True) > before - 50
