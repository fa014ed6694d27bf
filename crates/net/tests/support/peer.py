"""LCM itself as the other side. It does what it reads, a command a line, and answers each with a line.

    subscribe CHANNEL            from now on keep what comes there
    publish CHANNEL SIZE SEED    send the message of that size that the seed makes
    expect CHANNEL SIZE SEED     the next message that came there must be that one; waited for at most 110 s. Before it the one
                                 that was expected last may come again: what was lost on the way is sent anew
    quiet CHANNEL                nothing more may come there within 0.3 s
"""

import sys
import time

import lcm
import numpy

PERIOD = 99991


def made(size, seed):
    """The message that Rust's tests make too."""
    words = numpy.arange((PERIOD + 3) // 4, dtype=numpy.uint32) * numpy.uint32(2654435761) + numpy.uint32(seed)
    block = words.tobytes()[:PERIOD]
    return (block * (size // PERIOD + 1))[:size]


class Peer:
    """An LCM, and what it has received."""

    def __init__(self, url):
        self.lcm = lcm.LCM(url)
        self.kept = {}
        self.last = None

    def subscribe(self, channel):
        """Keeps what comes, however much."""
        kept = self.kept.setdefault(channel, [])
        self.lcm.subscribe(channel, lambda _, data: kept.append(data)).set_queue_capacity(0)
        return "ok"

    def publish(self, channel, size, seed):
        """Sends."""
        self.lcm.publish(channel, made(int(size), int(seed)))
        return "ok"

    def expect(self, channel, size, seed):
        """Waits for a message and compares it."""
        kept, wanted = self.kept[channel], made(int(size), int(seed))
        end = time.monotonic() + 110
        while time.monotonic() < end:
            if not kept:
                self.lcm.handle_timeout(100)
                continue
            data = kept.pop(0)
            if data == wanted:
                self.last = data
                return "ok"
            if data != self.last:
                return f"another message of {len(data)} bytes came"
        return "nothing came"

    def quiet(self, channel):
        """Nothing more comes."""
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            self.lcm.handle_timeout(50)
        return "ok" if not self.kept[channel] else "something came"


def main():
    """Reads commands until there are no more."""
    peer = Peer(sys.argv[1])
    print("ok", flush=True)
    for line in sys.stdin:
        verb, *words = line.split()
        print(getattr(peer, verb)(*words), flush=True)


if __name__ == "__main__":
    main()
