"""pyzmq as the other side. It does what it reads, a command a line, and answers each with a line.

    bind ENDPOINT                publish there
    connect ENDPOINT HWM         subscribe there; as many messages may wait here
    subscribe CHANNEL            from now on keep what comes there
    meet                         wait until something comes on the channel `meet`
    publish CHANNEL SIZE SEED    send the message of that size that the seed makes
    parts CHANNEL COUNT          send a message of as many parts
    expect CHANNEL SIZE SEED     the next message that came there must be that one; waited for at most 20 s
    die                          be killed
"""

import os
import signal
import sys

import zmq
from peer import made


class Peer:
    """A socket to publish, one to subscribe, and what came on it."""

    def __init__(self):
        self.pub = zmq.Context.instance().socket(zmq.PUB)
        self.sub = zmq.Context.instance().socket(zmq.SUB)
        self.pub.linger = self.sub.linger = 0
        self.pub.sndhwm = 0
        self.kept = []

    def bind(self, endpoint):
        """A publisher."""
        self.pub.bind(endpoint)
        return "ok"

    def connect(self, endpoint, hwm):
        """A subscriber."""
        self.sub.rcvhwm = int(hwm)
        self.sub.connect(endpoint)
        return "ok"

    def subscribe(self, channel):
        """Of all whose name begins so."""
        self.sub.subscribe(channel.encode())
        return "ok"

    def receive(self, wanted):
        """The next message of a channel; what comes of others is kept."""
        for i, (channel, payload) in enumerate(self.kept):
            if channel == wanted:
                del self.kept[i]
                return payload
        while self.sub.poll(20_000):
            channel, payload = self.sub.recv_multipart()
            if channel == wanted:
                return payload
            self.kept.append((channel, payload))
        return None

    def meet(self):
        """Both sides have met when something comes: what was subscribed to before is known then."""
        self.sub.subscribe(b"meet")
        return "ok" if self.receive(b"meet") is not None else "nothing came"

    def publish(self, channel, size, seed):
        """Sends."""
        self.pub.send_multipart([channel.encode(), made(int(size), int(seed))])
        return "ok"

    def parts(self, channel, count):
        """Sends something of another shape."""
        self.pub.send_multipart([channel.encode()] * int(count))
        return "ok"

    def expect(self, channel, size, seed):
        """Waits for a message and compares it."""
        data = self.receive(channel.encode())
        if data is None:
            return "nothing came"
        return "ok" if data == made(int(size), int(seed)) else f"another message of {len(data)} bytes came"

    def die(self):
        """Without a word."""
        os.kill(os.getpid(), signal.SIGKILL)


def main():
    """Reads commands until there are no more."""
    peer = Peer()
    print("ok", flush=True)
    for line in sys.stdin:
        verb, *words = line.split()
        print(getattr(peer, verb)(*words), flush=True)


if __name__ == "__main__":
    main()
