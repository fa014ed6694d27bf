"""Who waits lets others work, wakes at once, and can be interrupted."""

import select
import signal
import subprocess
import threading
import time
from typing import Any

import pytest
from conftest import PATIENCE, Start, received

import saltus


def test_the_time_to_wait_is_kept(domain: saltus.Domain) -> None:
    subscriber = domain.subscribe("nothing")
    for wait in (subscriber.receive, subscriber.wait, subscriber.current):
        start = time.monotonic()
        assert not wait(0.25)
        assert time.monotonic() - start >= 0.25
    start = time.monotonic()
    assert saltus.wait_any([subscriber], 0.25) is None
    assert time.monotonic() - start >= 0.25


def test_other_threads_run_while_one_waits(domain: saltus.Domain) -> None:
    subscriber, publisher = domain.subscribe("x"), domain.publisher("x")
    publisher.publish(b"makes the channel")
    received(subscriber)
    got: list[Any] = []
    thread = threading.Thread(target=lambda: got.append(subscriber.receive(PATIENCE)))
    thread.start()
    # If the waiting one kept the lock, this would not come to its end.
    publisher.publish(b"now")
    thread.join(PATIENCE)
    assert [bytes(message) for message in got] == [b"now"]


INTERRUPTED = """
import saltus, sys
subscriber = saltus.Domain(sys.argv[1]).subscribe("nothing")
try:
    print("waiting", flush=True)
    {wait}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    "wait",
    [
        "subscriber.receive()",
        "next(subscriber)",
        "saltus.wait_any([subscriber])",
        "subscriber.wait()",
    ],
)
@pytest.mark.parametrize("kind", ["shm", "mem"])
def test_ctrl_c_interrupts_a_wait(url: str, start: Start, wait: str, kind: str) -> None:
    where = url if kind == "shm" else "mem://"
    process = start("-c", INTERRUPTED.format(wait=wait), where, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"waiting\n"
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=PATIENCE)
    assert (said, process.returncode) == (b"interrupted\n", 0)


@pytest.mark.parametrize("kind", ["shm", "mem"])
def test_a_wait_can_be_called_off(url: str, kind: str) -> None:
    subscriber = saltus.Domain(url if kind == "shm" else "mem://").subscribe("nothing")
    cancel = subscriber.cancel_handle()
    threading.Timer(0.1, cancel.cancel).start()
    with pytest.raises(saltus.Canceled) as caught:
        subscriber.receive(PATIENCE)
    assert caught.value.code == 6
    assert list(subscriber) == [], "an iteration that is called off ends"
    cancel.reset()
    assert subscriber.receive(0.05) is None


@pytest.mark.parametrize("kind", ["shm", "mem"])
def test_closing_ends_the_wait_of_another_thread(url: str, kind: str) -> None:
    subscriber = saltus.Domain(url if kind == "shm" else "mem://").subscribe("nothing")
    threading.Timer(0.1, subscriber.close).start()
    with pytest.raises(saltus.Closed):
        subscriber.receive(PATIENCE)


def test_one_of_several_is_waited_for(url: str) -> None:
    here, there = saltus.Domain(url), saltus.Domain("mem://")
    a, b = here.subscribe("a"), there.subscribe("b")
    there.publisher("b").publish(b"b")
    assert saltus.wait_any([a, b], PATIENCE) is b
    assert bytes(received(b)) == b"b"
    publisher = here.publisher("a")
    threading.Timer(0.1, lambda: publisher.publish(b"a")).start()
    assert saltus.wait_any([a, b], PATIENCE) is a
    with pytest.raises(saltus.Busy):
        saltus.wait_any([a, a], 0)


@pytest.mark.parametrize("kind", ["shm", "mem"])
def test_the_descriptor_is_readable_while_there_is_something(
    url: str, kind: str
) -> None:
    domain = saltus.Domain(url if kind == "shm" else "mem://")
    subscriber, publisher = domain.subscribe("x"), domain.publisher("x")
    for i in range(3):
        publisher.publish(b"%d" % i)
        ready, _, _ = select.select([subscriber], [], [], PATIENCE)
        assert ready == [subscriber]
        assert bytes(received(subscriber)) == b"%d" % i
        assert subscriber.receive(0) is None
