"""What every step of the wizard has in common."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget


class Step(QWidget):
    """One page. The wizard shows its title above it, and asks it before going on."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(20, 4, 20, 12)
        self.column.setSpacing(12)

    def entered(self) -> None:
        """It is shown now, or the user comes back to it from another window: look again at what may have changed."""

    def left(self) -> None:
        """Another step is shown, or the window closes: stop what sounds or listens."""

    def first_control(self) -> QWidget | None:
        """What has the focus at first."""
        return None

    def obstacle(self) -> str:
        """Why there is no going on from here, as a sentence, or empty."""
        return ""

    def when_settled(self, go_on: Callable[[], None]) -> None:
        """Call it once ``obstacle`` can be asked; at once, unless something is still being looked at."""
        go_on()
