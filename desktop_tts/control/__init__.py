"""Commands to the running app through a socket that only the user can open: one JSON object a line, each answered by one.

A request is ``{"command": name, ...}``; an answer is ``{"ok": true, ...}`` or ``{"ok": false, "error": sentence, "code": exit code}``.
"""
