"""A third-party client of the protocol: PyPI's robo-ws-bridge, with the decoder of mcap-ros2-support.

client.py URL SUBPROTOCOL   obeys lines of JSON on standard input, and prints a line of JSON for all that the server says
"""

import asyncio
import contextlib
import functools
import json
import sys

from mcap_ros2._dynamic import generate_dynamic
from robo_ws_bridge import client as theirs
from robo_ws_bridge.server import _PLAYBACK_CONTROL_HEADER, _PLAYBACK_STATE_HEADER
from websockets.exceptions import ConnectionClosed


def say(event, **what):
    print(json.dumps({"event": event, **what}), flush=True)


def plain(value):
    """A decoded message as JSON."""
    if hasattr(value, "__slots__"):
        return {name: plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, (bytes, bytearray, list, tuple)) or hasattr(value, "tolist"):
        return [plain(one) for one in value]
    return value


@functools.cache
def decoder(name, schema):
    return generate_dynamic(name, schema)[name]


def on_message(channel, time, payload):
    if channel["encoding"] == "cdr":
        value = plain(decoder(channel["schemaName"], channel["schema"])(payload))
    else:
        value = payload.hex()
    say("message", topic=channel["topic"], time=time, value=value)


class Client(theirs.WebSocketBridgeClient):
    """The package's decoder: it knows the layout of player requests and replies, but its client does not use it."""

    async def _handle_binary(self, data):
        if data[0] != 5:
            return await super()._handle_binary(data)
        size = _PLAYBACK_STATE_HEADER.size
        _, stand, time, speed, moved, length = _PLAYBACK_STATE_HEADER.unpack(data[:size])
        assert len(data) == size + length
        say("state", stand=stand, time=time, speed=speed, moved=moved, request=data[size:].decode())

    async def _handle_json(self, text):
        self.last = json.loads(text)
        if self.last["op"] in ("serverInfo", "connectionGraphUpdate"):
            say(self.last["op"], said=self.last)
        await super()._handle_json(text)

    async def play(self, command, speed, seek, request):
        header = _PLAYBACK_CONTROL_HEADER.pack(command, speed, seek is not None, seek or 0, len(request))
        await self._websocket.send(b"\x03" + header + request.encode())


async def send(client, data):
    """A request that may make the server disconnect, which another event reports."""
    with contextlib.suppress(ConnectionClosed):
        await client._websocket.send(data)


async def main(url, subprotocol):
    connect = theirs.websockets.connect
    theirs.websockets.connect = lambda url, **options: connect(url, **{**options, "subprotocols": [subprotocol]})
    client = Client(url)
    client.on_message(on_message)
    client.on_time_update(lambda time: say("time", time=time))
    client.on_status(lambda level, message, id: say("status", level=level, message=message))
    client.on_advertised_channel(lambda channel: say("channel", **channel))
    client.on_channel_unadvertised(lambda channel: say("gone", topic=channel["topic"]))
    connected = asyncio.Event()
    client.on_connect(connected.set)
    client.on_disconnect(lambda: say("let go"))
    await client.connect()
    await connected.wait()
    say("connected", subprotocol=client._websocket.subprotocol)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order = json.loads(line)
        match order.pop("do"):
            case "subscribe":
                await client.subscribe(order["topic"])
            case "unsubscribe":
                await client.unsubscribe(order["topic"])
            case "graph":
                await client.subscribe_connection_graph()
            case "advertise":
                await client.advertise(**order)
            case "publish":
                await client.publish(order["channel"], bytes.fromhex(order["hex"]))
            case "play":
                await client.play(**order)
            case "text":
                await send(client, order["text"])
            case "binary":
                await send(client, bytes.fromhex(order["hex"]))
    await client.disconnect()


asyncio.run(main(*sys.argv[1:]))
