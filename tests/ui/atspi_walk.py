"""What a screen reader finds in the windows of an app, as JSON lines. Runs under the system's Python, which has Atspi.

Arguments: the app's name, then any number of ``ROLE NAME`` pairs, whose first action is done.
"""

import json
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def find_app(name):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        desktop = Atspi.get_desktop(0)
        for at in range(desktop.get_child_count()):
            app = desktop.get_child_at_index(at)
            if app and app.get_name() == name and app.get_child_count():
                return app
        time.sleep(0.1)
    sys.exit(f"no app {name!r} on the accessibility bus")


def walk(node):
    yield node
    for at in range(node.get_child_count()):
        child = node.get_child_at_index(at)
        if child:
            yield from walk(child)


def main():
    app = find_app(sys.argv[1])
    wanted = list(zip(sys.argv[2::2], sys.argv[3::2], strict=True))
    for node in walk(app):
        states = node.get_state_set()
        found = {
            "role": node.get_role_name(),
            "name": node.get_name(),
            "focusable": states.contains(Atspi.StateType.FOCUSABLE),
            "showing": states.contains(Atspi.StateType.SHOWING),
        }
        print(json.dumps(found), flush=True)
        if (found["role"], found["name"]) in wanted:
            wanted.remove((found["role"], found["name"]))
            Atspi.Action.do_action(node, 0)
    if wanted:
        sys.exit(f"not found: {wanted}")


main()
