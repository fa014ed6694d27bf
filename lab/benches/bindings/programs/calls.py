"""The contender in Python: does what the standard input says, and says how long each time took, in ns."""

import os
import shutil
import sys
from time import perf_counter_ns as now
from typing import Any, Callable

import numpy
import saltus

#: So many calls are timed together, where a call takes less than some steps of the clock.
BATCH = 64
#: So many short messages are received between a long one's publishing, which pushes the program out of the caches, and its receiving.
WARM = 20
SIZES = (64, 65536, 1048576)


def timed(call: Callable[[], Any]) -> float:
    """What one of a batch of calls takes."""
    start = now()
    for _ in range(BATCH):
        call()
    return (now() - start) / BATCH


class Calls:
    """Publishers and subscribers of a domain of this process alone."""

    def __init__(self, url: str) -> None:
        domain = saltus.Domain(url + "?depth=256")
        self.message = bytes(64)
        self.publisher = domain.publisher("domain")
        self.publisher.publish(self.message)
        self.next = domain.subscribe("domain")
        self.newest = domain.subscribe("domain", newest=True)
        few = saltus.Domain(url + "?depth=4")
        self.long: dict[str, Any] = {}
        for name, size in [("warm", 64), *((str(size), size) for size in SIZES)]:
            text = f"struct long{size}_t {{ byte data[{size - 8}]; }}"
            kind = saltus.types.load(text)[f"long{size}_t"]
            publisher = few.publisher(name)
            message = bytes(kind.plain_room())
            assert len(message) == size
            publisher.publish(message)
            subscriber = few.subscribe(name)
            subscriber.receive(0)
            self.long[name] = kind, publisher, subscriber, message
        self.newest.receive(0)

    def pair(self) -> None:
        """A message there and here."""
        self.publisher.publish(self.message)
        self.newest.receive(0)

    def once(self, what: str) -> float:
        """One time, in ns."""
        if what == "domain publish":
            return timed(lambda: self.publisher.publish(self.message))
        if what == "domain next":
            while self.next.receive(0):
                pass
            for _ in range(BATCH):
                self.publisher.publish(self.message)
            return timed(lambda: self.next.receive(0))
        if what == "domain publish+newest":
            return timed(self.pair)
        if what == "domain poll":
            return timed(lambda: self.newest.receive(0))
        how, _, size = what.partition(" ")
        call = getattr(self, how)
        kind, publisher, subscriber, message = self.long[size]
        publisher.publish(message)
        short, warming, warmed, text = self.long["warm"]
        for _ in range(WARM):
            warming.publish(text)
            call(short, warmed)
        return float(call(kind, subscriber))

    @staticmethod
    def receive(_: Any, subscriber: Any) -> int:
        """A message of one's own, and its last byte."""
        start = now()
        message = subscriber.receive(0)
        assert message.data[-1] == 0
        return now() - start

    @staticmethod
    def view(_: Any, subscriber: Any) -> int:
        """A message where it lies, and its last byte."""
        start = now()
        view = subscriber.view(0)
        assert view.data[-1] == 0
        view.validate()
        return now() - start

    @staticmethod
    def array(kind: Any, subscriber: Any) -> int:
        """A message where it lies as a structured array of NumPy's, and its last element."""
        start = now()
        view = subscriber.view(0)
        data: numpy.ndarray[Any, Any] = kind.plain_array(view.data)["data"]
        assert data[-1] == 0
        view.validate()
        return now() - start


def main() -> None:
    path = f"/dev/shm/saltus-bench-bindings-{os.getpid()}"
    try:
        calls = Calls(f"shm://{path}")
        print("ready", flush=True)
        for line in sys.stdin:
            count, _, what = line.strip().partition(" ")
            times = (calls.once(what) for _ in range(int(count)))
            print(*(f"{time:.1f}" for time in times), flush=True)
    finally:
        shutil.rmtree(path, ignore_errors=True)


if __name__ == "__main__":
    main()
