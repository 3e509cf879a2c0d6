"""A Secret Service on the session bus, small and in memory; with `locked` it would ask somebody to unlock it.

Every method that is called is written down, to see what a client dared to do.
"""

import sys
from typing import Any

from jeepney import (  # type: ignore[import-untyped]
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
)
from jeepney.io.blocking import DBusConnection, Proxy, open_dbus_connection  # type: ignore[import-untyped]

NOT_SUPPORTED = "org.freedesktop.DBus.Error.NotSupported"
UNKNOWN = "org.freedesktop.DBus.Error.UnknownMethod"


class Service:
    def __init__(self, *, locked: bool) -> None:
        self.locked = locked
        self.items: dict[str, tuple[dict[str, str], bytes]] = {}
        self.count = 0

    def answer(self, message: Message) -> Message:
        member, body = message.header.fields[HeaderFields.member], message.body
        path = message.header.fields[HeaderFields.path]
        match member:
            case "Get":
                value = {"Label": ("s", "test"), "Locked": ("b", self.locked)}[body[1]]
                return new_method_return(message, "v", (value,))
            case "OpenSession" if body[0] != "plain":
                return new_error(message, NOT_SUPPORTED, "s", ("only plain",))
            case "OpenSession":
                return new_method_return(message, "vo", (("s", ""), "/session/1"))
            case "SearchItems":
                return new_method_return(message, "ao", (self._found(dict(body[0])),))
            case "CreateItem":
                return new_method_return(message, "oo", (self._created(*body), "/"))
            case "GetSecret":
                secret = ("/session/1", b"", self.items[path][1], "text/plain")
                return new_method_return(message, "(oayays)", (secret,))
            case "Delete":
                del self.items[path]
                return new_method_return(message, "o", ("/",))
            case "Unlock":
                # Somebody would have to type a password now.
                prompt = "/prompt/1" if self.locked else "/"
                return new_method_return(message, "aoo", ([], prompt))
            case _:
                return new_error(message, UNKNOWN, "s", (member,))

    def _found(self, wanted: dict[str, str]) -> list[str]:
        return [path for path, (has, _) in self.items.items() if wanted.items() <= has.items()]

    def _created(self, properties: dict[str, Any], secret: tuple[Any, ...], replace: bool) -> str:
        attributes = dict(properties["org.freedesktop.Secret.Item.Attributes"][1])
        same = [path for path, (has, _) in self.items.items() if has == attributes and replace]
        self.count += 1
        path = same[0] if same else f"/org/freedesktop/secrets/collection/test/{self.count}"
        self.items[path] = (attributes, bytes(secret[2]))
        return path


def main() -> None:
    service = Service(locked="locked" in sys.argv)
    connection: DBusConnection = open_dbus_connection()
    Proxy(message_bus, connection).RequestName("org.freedesktop.secrets")
    print("ready", flush=True)
    while True:
        message = connection.receive()
        if message.header.message_type is MessageType.method_call:
            print(message.header.fields[HeaderFields.member], flush=True)
            connection.send(service.answer(message))


main()
