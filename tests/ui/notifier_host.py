"""A StatusNotifierItem host without pixels: the watcher on the bus, and a reader of icons, tool tips and menus."""

import asyncio
import threading

from dbus_fast import BusType, Message, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import PropertyAccess
from dbus_fast.service import ServiceInterface, dbus_property, method, signal

NAME = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"


class Watcher(ServiceInterface):
    def __init__(self):
        super().__init__(NAME)
        self.items = []

    @method()
    def RegisterStatusNotifierItem(self, service: "s"):  # noqa: F821
        self.items.append(service)
        self.StatusNotifierItemRegistered(service)

    @method()
    def RegisterStatusNotifierHost(self, service: "s"):  # noqa: F821
        pass

    @dbus_property(access=PropertyAccess.READ)
    def RegisteredStatusNotifierItems(self) -> "as":  # noqa: F722
        return self.items

    @dbus_property(access=PropertyAccess.READ)
    def IsStatusNotifierHostRegistered(self) -> "b":  # noqa: F821
        return True

    @dbus_property(access=PropertyAccess.READ)
    def ProtocolVersion(self) -> "i":  # noqa: F821
        return 0

    @signal()
    def StatusNotifierItemRegistered(self, service) -> "s":  # noqa: F821
        return service


class Notifications(ServiceInterface):
    """The desktop's notices."""

    def __init__(self):
        super().__init__("org.freedesktop.Notifications")
        self.shown = []

    @method()
    def Notify(
        self,
        app: "s",  # noqa: F821
        replaces: "u",  # noqa: F821
        icon: "s",  # noqa: F821
        summary: "s",  # noqa: F821
        body: "s",  # noqa: F821
        actions: "as",  # noqa: F722
        hints: "a{sv}",  # noqa: F722
        timeout: "i",  # noqa: F821
    ) -> "u":  # noqa: F821
        self.shown.append((summary, body))
        return len(self.shown)

    @method()
    def GetCapabilities(self) -> "as":  # noqa: F722
        return ["body", "actions"]

    @method()
    def CloseNotification(self, number: "u"):  # noqa: F821
        pass

    @method()
    def GetServerInformation(self) -> "ssss":  # noqa: F821
        return ["test", "test", "1", "1.2"]


class NotifierHost:
    """Calls wait for their answer. ``start`` puts the watcher on the bus, ``stop`` takes it off."""

    def __init__(self, address):
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._bus = None
        self.watcher = self.notifications = None

    def start(self):
        self._run(self._connect())

    async def _connect(self):
        self._bus = await MessageBus(bus_address=self._address, bus_type=BusType.SESSION).connect()
        self.watcher, self.notifications = Watcher(), Notifications()
        self._bus.export("/StatusNotifierWatcher", self.watcher)
        self._bus.export("/org/freedesktop/Notifications", self.notifications)
        await self._bus.request_name("org.freedesktop.Notifications")
        await self._bus.request_name(NAME)

    def stop(self):
        if self._bus:
            self._bus.disconnect()
            self._run(self._bus.wait_for_disconnect())
            self._bus = None

    def close(self):
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _run(self, coroutine, timeout=15):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout)

    def _call(self, path, interface, member, signature="", *body):
        message = Message(
            destination=self.watcher.items[-1],
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=list(body),
        )
        reply = self._run(self._bus.call(message))
        assert reply.message_type.name == "METHOD_RETURN", reply.body
        return reply.body

    # ------------------------------------------------------------ the item

    def property(self, name):
        (value,) = self._call("/StatusNotifierItem", "org.freedesktop.DBus.Properties", "Get", "ss", ITEM, name)
        return value.value

    def activate(self):
        self._call("/StatusNotifierItem", ITEM, "Activate", "ii", 0, 0)

    def secondary_activate(self):
        self._call("/StatusNotifierItem", ITEM, "SecondaryActivate", "ii", 0, 0)

    def pixels(self, size=22):
        """ARGB bytes of the icon nearest to a size."""
        width, _, data = min(self.property("IconPixmap"), key=lambda picture: abs(picture[0] - size))
        assert len(data) == width * width * 4
        return bytes(data)

    def tooltip(self):
        """The words."""
        _, _, title, text = self.property("ToolTip")
        return f"{title}\n{text}".strip()

    # ------------------------------------------------------------ its menu

    def menu(self):
        """The entries with a label, as a list of dicts; submenus are in ``children``."""
        path = self.property("Menu")
        _, root = self._call(path, MENU, "GetLayout", "iias", 0, -1, [])
        return _entries(root)

    def labels(self):
        return [entry["label"] for entry in self.menu()]

    def entry(self, *start):
        """The entry whose label begins so; further words go into submenus."""
        entries = self.menu()
        for words in start:
            entry = next((entry for entry in entries if entry["label"].startswith(words)), None)
            assert entry, f"no entry {words!r} among {[entry['label'] for entry in entries]}"
            entries = entry["children"]
        return entry

    def choose(self, *start):
        number = self.entry(*start)["id"]
        self._call(self.property("Menu"), MENU, "Event", "isvu", number, "clicked", Variant("s", ""), 0)


def _entries(node):
    children = [child.value for child in node[2]]
    return [
        {
            "id": number,
            "label": properties["label"].value.replace("_", ""),
            "enabled": properties["enabled"].value if "enabled" in properties else True,
            "radio": properties["toggle-type"].value == "radio" if "toggle-type" in properties else False,
            "checked": bool(properties["toggle-state"].value) if "toggle-state" in properties else False,
            "children": _entries((number, properties, below)),
        }
        for number, properties, below in children
        if "label" in properties
    ]
