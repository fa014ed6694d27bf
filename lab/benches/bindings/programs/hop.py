"""A message of 64 bytes from one process of Python to another and back, both on one processor: half of the way there and back, in ns.

    hop.py NAME     then "COUNT hop" on the standard input
"""

import ctypes
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from time import perf_counter_ns as now
from typing import Any, Optional

MESSAGE = bytes(range(64))
PR_SET_PDEATHSIG = 1


class Unix:
    """A bare Unix datagram socket: the floor."""

    def __init__(self, pair: Any, first: bool) -> None:
        self.socket = pair[0 if first else 1]
        self.send = self.socket.send

    def receive(self) -> Any:
        return self.socket.recv(512)

    def receive_within(self, seconds: float) -> Optional[bytes]:
        self.socket.settimeout(seconds)
        try:
            return bytes(self.socket.recv(512))
        except TimeoutError:
            return None
        finally:
            self.socket.settimeout(None)

    @staticmethod
    def prepare(_: str) -> Any:
        return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)


class Saltus:
    """shm://"""

    def __init__(self, directory: str, first: bool) -> None:
        import saltus

        domain = saltus.Domain(f"shm://{directory}")
        there, back = ("a", "b") if first else ("b", "a")
        self.send = domain.publisher(there).publish
        self.subscriber = domain.subscribe(back)

    def receive(self) -> bytes:
        return bytes(self.subscriber.receive())

    def receive_within(self, seconds: float) -> Optional[bytes]:
        message = self.subscriber.receive(seconds)
        return None if message is None else bytes(message)

    @staticmethod
    def prepare(directory: str) -> str:
        return directory


class Iceoryx2:
    """Publish-subscribe, and an event service to sleep on."""

    def __init__(self, name: str, first: bool) -> None:
        import iceoryx2 as iox2

        iox2.set_log_level(iox2.LogLevel.Error)

        class Payload(ctypes.Structure):
            _fields_ = [("data", ctypes.c_uint8 * 64)]

            @staticmethod
            def type_name() -> str:
                return "payload64"

        self.kind = Payload
        self.node = iox2.NodeBuilder.new().create(iox2.ServiceType.Ipc)
        there, back = ("a", "b") if first else ("b", "a")
        service = lambda way: self.node.service_builder(iox2.ServiceName.new(name + way))
        self.publisher = service(there).publish_subscribe(Payload).open_or_create().publisher_builder().create()
        self.subscriber = service(back).publish_subscribe(Payload).open_or_create().subscriber_builder().create()
        self.notifier = service(there).event().open_or_create().notifier_builder().create()
        self.listener = service(back).event().open_or_create().listener_builder().create()
        self.seconds = iox2.Duration.from_secs_f64

    def send(self, data: bytes) -> None:
        self.publisher.loan_uninit().write_payload(self.kind.from_buffer_copy(data)).send()
        self.notifier.notify()

    def _take(self) -> Optional[bytes]:
        sample = self.subscriber.receive()
        return None if sample is None else bytes(sample.payload().contents.data)

    def receive(self) -> bytes:
        while True:
            found = self._take()
            if found is not None:
                return found
            self.listener.blocking_wait()

    def receive_within(self, seconds: float) -> Optional[bytes]:
        found = self._take()
        if found is None:
            self.listener.timed_wait(self.seconds(seconds))
            found = self._take()
        return found

    @staticmethod
    def prepare(directory: str) -> str:
        return os.path.basename(directory)


class Lcm:
    """udpm:// on this machine."""

    def __init__(self, port: int, first: bool) -> None:
        import lcm

        self.lcm = lcm.LCM(f"udpm://239.255.76.67:{port}?ttl=0")
        self.there, back = ("A", "B") if first else ("B", "A")
        self.found: Optional[bytes] = None
        self.lcm.subscribe(back, self._handle)

    def _handle(self, _: str, data: bytes) -> None:
        self.found = data

    def send(self, data: bytes) -> None:
        self.lcm.publish(self.there, data)

    def receive(self) -> Optional[bytes]:
        self.found = None
        while self.found is None:  # the library's test of itself at its start is handled too
            self.lcm.handle()
        return self.found

    def receive_within(self, seconds: float) -> Optional[bytes]:
        self.found = None
        self.lcm.handle_timeout(int(seconds * 1000))
        return self.found

    @staticmethod
    def prepare(_: str) -> int:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("", 0))
            return int(free.getsockname()[1])


class Zmq:
    """PUB and SUB over ipc://."""

    def __init__(self, directory: str, first: bool) -> None:
        import zmq

        context = zmq.Context()
        there, back = ("a", "b") if first else ("b", "a")
        publisher, self.subscriber = context.socket(zmq.PUB), context.socket(zmq.SUB)
        publisher.bind(f"ipc://{directory}/{there}")
        self.subscriber.connect(f"ipc://{directory}/{back}")
        self.subscriber.subscribe(b"")
        self.send, self.receive = publisher.send, self.subscriber.recv

    def receive_within(self, seconds: float) -> Optional[bytes]:
        return bytes(self.subscriber.recv()) if self.subscriber.poll(seconds * 1000) else None

    @staticmethod
    def prepare(directory: str) -> str:
        return directory


class Zenoh:
    """Two peers over TCP on this machine."""

    def __init__(self, port: int, first: bool) -> None:
        import zenoh

        config = zenoh.Config()
        place = f'["tcp/127.0.0.1:{port}"]'
        config.insert_json5("mode", '"peer"')
        config.insert_json5("scouting/multicast/enabled", "false")
        config.insert_json5("listen/endpoints" if first else "connect/endpoints", place)
        if not first:
            config.insert_json5("listen/endpoints", "[]")
        self.session = zenoh.open(config)
        there, back = ("a", "b") if first else ("b", "a")
        self.publisher = self.session.declare_publisher(f"hop/{there}")
        self.subscriber = self.session.declare_subscriber(f"hop/{back}")
        self.send = self.publisher.put

    def receive(self) -> Any:
        return self.subscriber.recv().payload.to_bytes()

    def receive_within(self, seconds: float) -> Optional[bytes]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            sample = self.subscriber.try_recv()
            if sample is not None:
                return bytes(sample.payload.to_bytes())
            time.sleep(0.001)
        return None

    @staticmethod
    def prepare(_: str) -> int:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return int(free.getsockname()[1])


KINDS: dict[str, Any] = {
    "unix-dgram": Unix, "saltus": Saltus, "iceoryx2": Iceoryx2, "lcm": Lcm, "pyzmq": Zmq, "zenoh": Zenoh,
}  # fmt: skip


def echo(end: Any) -> None:
    """Sends back whatever comes, until it is killed."""
    while True:
        end.send(end.receive())


def meet(end: Any) -> None:
    """Sends until something comes back, then lets what is under way come."""
    deadline = time.monotonic() + 20
    end.send(MESSAGE)
    while end.receive_within(0.1) is None:
        if time.monotonic() > deadline:
            raise SystemExit("nothing came back in 20 s")
        end.send(MESSAGE)
    while end.receive_within(0.3) is not None:
        pass


def hop(end: Any) -> int:
    """Half of the time there and back."""
    start = now()
    end.send(MESSAGE)
    came = end.receive()
    took = now() - start
    assert came == MESSAGE
    return took // 2


def main() -> None:
    kind = KINDS[sys.argv[1]]
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    base = "/dev/shm" if kind is Saltus else None
    directory = tempfile.mkdtemp(prefix="saltus-bench-hop-", dir=base)
    common = kind.prepare(directory)
    other = os.fork()
    if other == 0:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        try:
            echo(kind(common, False))
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    try:
        end = kind(common, True)
        meet(end)
        print("ready", flush=True)
        for line in sys.stdin:
            print(*(hop(end) for _ in range(int(line.split()[0]))), flush=True)
    finally:
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)
        shutil.rmtree(directory)
    # Threads of others must not keep it.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
