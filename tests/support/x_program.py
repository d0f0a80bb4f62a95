"""A program on X11 that does as told with selections, well or badly. ``Program`` starts it.

As a script it reads what to do as JSON. It owns selections, answers slowly or stops half-way, and may show a window
that takes the focus, notes its keys and copies something on Ctrl+C.
"""

from __future__ import annotations

import base64
import json
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from Xlib import XK, X, Xatom, display
from Xlib.protocol import event as protocol

CHUNK = 1 << 16


def data(content, type_=None, format_=8):
    """A format of a selection; its type is the target unless said otherwise."""
    return [type_, format_, base64.b64encode(content).decode()]


def text(content):
    return {"UTF8_STRING": data(content.encode()), "STRING": data(content.encode("latin-1", "replace"))}


class Program:
    """The running program, seen from the test."""

    def __init__(self, screen, owns=None, **options):
        self._log = Path(tempfile.mkstemp(dir=screen.folder, suffix=".log")[1])
        task = {"owns": owns or {}, "log": str(self._log)} | options
        self.process = screen.spawn(
            sys.executable, __file__, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        with self.process.stdin as out:
            out.write(json.dumps(task).encode())
        said = self.process.stdout.readline()
        assert said, self.process.stderr.read().decode()
        self.window = int(said)

    def log(self):
        """``key NAME STATE``, ``copied`` and ``asked TARGET`` in the order in which they came."""
        return self._log.read_text().splitlines()

    def pressed(self):
        """Names of the keys that it received, with the bits of the modifiers at that moment."""
        found = (line.split() for line in self.log() if line.startswith("key "))
        return [(name, int(state)) for _, name, state in found]

    def close(self):
        self.process.kill()
        self.process.wait()


class _Owner:
    def __init__(self, task):
        from xkb import use_xkb  # beside this script

        self.task = task
        self.log = Path(task["log"]).open("a", buffering=1)  # noqa: SIM115 - open for as long as it runs
        self.x = display.Display()
        self.x.set_error_handler(lambda *_: None)
        use_xkb(self.x)
        self.root = self.x.screen().root
        mask = X.PropertyChangeMask | X.KeyPressMask | X.KeyReleaseMask | X.FocusChangeMask | X.StructureNotifyMask
        self.window = self.root.create_window(300, 300, 200, 100, 0, X.CopyFromParent, event_mask=mask)
        self.held, self.since, self.sending, self.later = {}, {}, {}, []

    def run(self):
        for name, formats in self.task["owns"].items():
            self.own(name, formats)
        if name := self.task.get("shows"):
            self.show(name)
        print(self.window.id, flush=True)
        while True:
            while self.x.pending_events():  # sends too
                self.handle(self.x.next_event())
            due = [moment for moment, _ in self.later]
            unsent = [self.x] if self.x.display.data_send else []
            select.select([self.x], unsent, [], max(min(due) - time.monotonic(), 0) if due else None)
            for entry in [entry for entry in self.later if entry[0] <= time.monotonic()]:
                self.later.remove(entry)
                entry[1]()

    def show(self, name):
        self.window.set_wm_name(name)
        self.window.set_wm_class(name, self.task.get("class", name))
        self.window.set_wm_protocols([self.x.get_atom("_NET_WM_PING"), self.x.get_atom("WM_DELETE_WINDOW")])
        mapped = focused = False
        while not focused:  # a window manager that has just started may overlook the first request
            if not mapped:
                self.window.map()
            else:
                self.window.set_input_focus(X.RevertToParent, X.CurrentTime)
            self.x.sync()
            time.sleep(0.03)
            mapped = self.window.get_attributes().map_state == X.IsViewable
            focused = mapped and self.x.get_input_focus().focus == self.window

    def own(self, name, formats, at=None):
        if at is None:
            stamp = self.x.get_atom("_STAMP")
            self.window.change_property(stamp, stamp, 8, b"", X.PropModeAppend)
            while True:
                event = self.x.next_event()
                if event.type == X.PropertyNotify and event.atom == stamp:
                    at = event.time
                    break
                self.handle(event)
        selection = self.x.get_atom(name)
        self.held[selection] = {
            self.x.get_atom(target): (self.x.get_atom(kind or target), size, base64.b64decode(content))
            for target, (kind, size, content) in formats.items()
        }
        self.since[selection] = at
        self.window.set_selection_owner(selection, at)
        self.x.sync()

    def handle(self, event):
        if event.type == X.SelectionRequest:
            wait = self.task.get("answers_after", 0)
            if wait:
                self.later.append((time.monotonic() + wait, lambda: self.answer(event)))
            else:
                self.answer(event)
        elif event.type == X.PropertyNotify and event.state == X.PropertyDelete:
            self.go_on(event.window.id, event.atom)
        elif event.type == X.SelectionClear:
            self.held.pop(event.atom, None)
        elif event.type in (X.KeyPress, X.KeyRelease):
            self.key(event)
        elif event.type == X.ClientMessage and event.data[1][0] == self.x.get_atom("_NET_WM_PING"):
            answer = protocol.ClientMessage(window=self.root, client_type=event.client_type, data=event.data)
            self.root.send_event(answer, X.SubstructureNotifyMask | X.SubstructureRedirectMask)

    def key(self, event):
        (symbols,) = self.x.get_keyboard_mapping(event.detail, 1)
        symbol = symbols[2 * (event.state >> 13 & 1)]
        name = next((n[3:] for n in dir(XK) if n.startswith("XK_") and getattr(XK, n) == symbol), str(event.detail))
        self.log.write(f"{'key' if event.type == X.KeyPress else 'up'} {name} {event.state & 0xFF}\n")
        copies = self.task.get("copies")
        is_c = symbol == XK.XK_c
        if symbol > 0xFF:  # as toolkits do: a layout without Latin letters has the shortcuts of another
            is_c = XK.XK_c in symbols
        if copies is not None and event.type == X.KeyPress and is_c and event.state & 0x4D == X.ControlMask:
            self.later.append((time.monotonic() + self.task.get("copies_after", 0), lambda: self.copy(copies)))

    def copy(self, formats):
        for _ in range(self.task.get("copies_times", 1)):
            self.own("CLIPBOARD", formats)
        self.log.write("copied\n")

    def answer(self, request):
        into = request.property or request.target
        done = self.put(request, into)
        answer = protocol.SelectionNotify(
            time=request.time, requestor=request.requestor, selection=request.selection, target=request.target,
            property=into if done else X.NONE,
        )  # fmt: skip
        request.requestor.send_event(answer)

    def put(self, request, into):
        held, target = self.held.get(request.selection), request.target
        self.log.write(f"asked {self.x.get_atom_name(target)}\n")
        if held is None:
            return False
        names = {name: self.x.get_atom(name) for name in ("TARGETS", "TIMESTAMP", "MULTIPLE", "DELETE", "INCR")}
        if target == names["TARGETS"] and not self.task.get("hides_targets"):
            about = [names[name] for name in ("TARGETS", "TIMESTAMP", "MULTIPLE", "DELETE")]
            request.requestor.change_property(into, Xatom.ATOM, 32, [*about, *held])
        elif target == names["TIMESTAMP"] and not self.task.get("hides_time"):
            request.requestor.change_property(into, Xatom.INTEGER, 32, [self.since[request.selection]])
        elif target == names["DELETE"]:
            held.clear()
            return False
        elif target in held:
            kind, size, content = held[target]
            if len(content) > CHUNK:
                request.requestor.change_attributes(event_mask=X.PropertyChangeMask)
                self.sending[request.requestor.id, into] = [request.requestor, kind, size, content, 0]
                request.requestor.change_property(into, names["INCR"], 32, [len(content)])
            else:
                request.requestor.change_property(into, kind, size, content)
        else:
            return False
        return True

    def go_on(self, window, into):
        if (window, into) not in self.sending:
            return
        sending = self.sending[window, into]
        requestor, kind, size, content, at = sending
        if self.task.get("stops_after") and at >= self.task["stops_after"]:
            return
        part = content[at : at + CHUNK]
        requestor.change_property(into, kind, size, part)
        sending[4] += len(part)
        if not part:
            del self.sending[window, into]


if __name__ == "__main__":
    _Owner(json.load(sys.stdin)).run()
