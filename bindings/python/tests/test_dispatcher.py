"""Callbacks run in the thread that asks for them, one message each a turn."""

import math
import threading
from typing import Any

import pytest
from conftest import PATIENCE

import saltus


def test_each_subscription_has_its_turn_and_can_be_ended(domain: saltus.Domain) -> None:
    dispatcher = saltus.Dispatcher()
    got: list[tuple[str, bytes]] = []

    def note(message: "saltus.Message[None]") -> None:
        got.append((message.channel, bytes(message)))

    subscribers = [dispatcher.on(domain.subscribe(name), note) for name in "ab"]
    assert dispatcher.handle(0) == 0 == dispatcher.handle(0.05) and len(dispatcher) == 2
    for name in "ab":
        publisher = domain.publisher(name)
        publisher.publish(b"1")
        publisher.publish(b"2")
    assert 1 <= dispatcher.handle(math.inf) <= 2
    while len(got) < 4:
        assert 1 <= dispatcher.handle(PATIENCE) <= 2
    for bad in (-1, math.nan):
        with pytest.raises(saltus.Invalid, match="timeout"):
            dispatcher.handle(bad)
    assert sorted(got) == [("a", b"1"), ("a", b"2"), ("b", b"1"), ("b", b"2")]
    assert dispatcher.unsubscribe(subscribers[0]) and len(dispatcher) == 1
    assert not dispatcher.unsubscribe(subscribers[0])


def test_run_ends_when_it_is_stopped_called_off_or_all_logs_are_over(
    domain: saltus.Domain, tmp_path: Any
) -> None:
    dispatcher = saltus.Dispatcher()
    dispatcher.run()  # there is nothing to wait for
    with saltus.log.create(tmp_path / "a.lcmlog") as log:
        for i in range(10):
            log.write("x", b"%d" % i, log_time_ns=1000 * i)
    got: list[bytes] = []
    played = saltus.Domain(f"file://{log.path}?speed=0").subscribe("x")
    dispatcher.on(played, lambda message: got.append(bytes(message)))
    dispatcher.run()
    assert len(got) == 10 and len(dispatcher) == 0
    subscriber = dispatcher.on(domain.subscribe("x"), lambda _: dispatcher.stop())
    domain.publisher("x").publish(b"")
    dispatcher.run()
    threading.Timer(0.1, subscriber.cancel_handle().cancel).start()
    dispatcher.run()


def test_what_a_callback_raises_comes_out_after_the_others_had_their_turn(
    domain: saltus.Domain,
) -> None:
    dispatcher = saltus.Dispatcher()
    got: list[bytes] = []

    def fail(_: object) -> None:
        raise RuntimeError("mine")

    dispatcher.on(domain.subscribe("a"), fail)
    dispatcher.on(domain.subscribe("b"), lambda message: got.append(bytes(message)))
    domain.publisher("a").publish(b"a")
    domain.publisher("b").publish(b"b")
    with pytest.raises(RuntimeError, match="mine"):
        while True:
            dispatcher.handle(PATIENCE)
    while not got:
        dispatcher.handle(PATIENCE)
    assert got == [b"b"]


def test_every_error_of_a_turn_is_raised(domain: saltus.Domain) -> None:
    dispatcher = saltus.Dispatcher()

    def fail(message: "saltus.Message[None]") -> None:
        raise RuntimeError(message.channel)

    for name in "ab":
        dispatcher.on(domain.subscribe(name), fail)
        domain.publisher(name).publish(b"once")
    for name in "ab":
        with pytest.raises(RuntimeError, match=name):
            dispatcher.handle(PATIENCE)
    assert dispatcher.handle(0) == 0
