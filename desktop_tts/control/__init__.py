"""Commands to the running app through a socket that only the user can open.

One JSON object a line, each answered by one: a request is ``{"command": name, ...}``, an answer ``{"ok": true, ...}``
or ``{"ok": false, "error": sentence, "code": exit code}``.
"""
