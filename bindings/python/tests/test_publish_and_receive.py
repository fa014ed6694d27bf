"""What is published is received: whole, in order, with what is known about it."""

import array
import gc
import re
from typing import Any

import numpy as np
import pytest
from conftest import received

import saltus


@pytest.mark.parametrize("kind", ["shm", "mem"])
def test_messages_come_in_their_order_with_what_is_known(kind: str, url: str) -> None:
    with saltus.Domain(url if kind == "shm" else "mem://") as domain:
        with domain.subscribe("imu") as subscriber, domain.publisher(
            "imu"
        ) as publisher:
            assert subscriber.receive(0) is None
            before = saltus.now_ns()
            for i in range(10):
                publisher.publish(b"%d" % i)
            for i in range(10):
                message = received(subscriber)
                assert (bytes(message), message.channel) == (b"%d" % i, "imu")
                assert message.sequence == i + 1
                assert (message.missed, message.dropped, message.value) == (0, 0, None)
                assert before <= message.published_ns <= message.arrived_ns <= saltus.now_ns()
                assert message.sender == publisher.sender
                assert 0 <= message.age_ns() <= saltus.now_ns() - before
            assert subscriber.receive(0) is None


def test_newest_passes_over_what_is_older_and_counts_it(domain: saltus.Domain) -> None:
    publisher = domain.publisher("imu")
    subscriber = domain.subscribe("imu", newest=True)
    for i in range(10):
        publisher.publish(b"%d" % i)
    message = received(subscriber)
    assert (bytes(message), message.dropped) == (b"9", 9)
    assert subscriber.receive(0) is None
    again = subscriber.current()
    assert again is not None and bytes(again) == b"9"


def test_who_wants_all_and_is_slow_is_told_what_was_dropped(
    domain: saltus.Domain,
) -> None:
    publisher = domain.publisher("imu")
    publisher.publish(b"first")
    subscriber = domain.subscribe("imu", depth=3, start="now")
    for i in range(10):
        publisher.publish(b"%d" % i)
    messages = [received(subscriber) for _ in range(3)]
    assert [bytes(m) for m in messages] == [b"7", b"8", b"9"]
    assert sum(m.missed + m.dropped for m in messages) == 7


@pytest.mark.parametrize("size", [0, 1, 1000, 16 << 10, 1 << 20])
@pytest.mark.parametrize(
    "make", [bytes, bytearray, lambda b: memoryview(b), lambda b: np.frombuffer(b, "B")]
)
def test_anything_with_bytes_can_be_published(make: Any, size: int) -> None:
    domain = saltus.Domain("mem://")
    subscriber, publisher = domain.subscribe("x"), domain.publisher("x")
    sent = bytes(i % 251 for i in range(size))
    publisher.publish(make(sent))
    message = received(subscriber)
    assert bytes(message) == sent == message.data and len(message) == size
    assert message.data.readonly and message.data.contiguous


def test_numbers_are_published_as_they_lie_in_memory(domain: saltus.Domain) -> None:
    subscriber, publisher = domain.subscribe("x"), domain.publisher("x")
    publisher.publish(np.arange(6, dtype="i4").reshape(2, 3))
    assert np.frombuffer(received(subscriber).data, "i4").tolist() == [0, 1, 2, 3, 4, 5]
    publisher.publish(array.array("d", [0.5]))
    assert received(subscriber).data.cast("d")[0] == 0.5


@pytest.mark.parametrize("size", [100, 1 << 20])
def test_data_stays_as_it_is_whatever_comes_after(url: str, size: int) -> None:
    domain = saltus.Domain(url)
    subscriber, publisher = domain.subscribe("x"), domain.publisher("x")
    kept = []
    for i in range(5):
        publisher.publish(bytes([i]) * size)
        kept.append(np.frombuffer(received(subscriber).data, "B"))
    subscriber.close()
    publisher.close()
    del subscriber, publisher, domain
    gc.collect()
    for i, data in enumerate(kept):
        assert data.size == size and (data == i).all() and not data.flags.writeable


def test_channels_are_meant_by_name_or_by_expression_or_all(
    domain: saltus.Domain,
) -> None:
    everything = domain.subscribe(None)
    arms = domain.subscribe(re.compile("ARM_(LEFT|RIGHT)"))
    one = domain.subscribe("ARM_LEFT")
    for name in ("ARM_LEFT", "ARM_RIGHT", "ARM_LEFT_2"):
        domain.publisher(name).publish(name.encode())
    assert {received(everything).channel for _ in range(3)} == {
        "ARM_LEFT", "ARM_RIGHT", "ARM_LEFT_2",
    }  # fmt: skip
    assert {received(arms).channel for _ in range(2)} == {"ARM_LEFT", "ARM_RIGHT"}
    assert received(one).channel == "ARM_LEFT" and one.receive(0) is None
    assert sorted(domain.channels()) == ["ARM_LEFT", "ARM_LEFT_2", "ARM_RIGHT"]
    assert arms.channels() and one.channels() == ["ARM_LEFT"]


@pytest.mark.parametrize("name", ["größe", b"\xff\x00", "/scan"])
def test_names_of_any_bytes_come_back(domain: saltus.Domain, name: Any) -> None:
    publisher, subscriber = domain.publisher(name), domain.subscribe(name)
    publisher.publish(b"")
    text = name if isinstance(name, str) else name.decode("utf-8", "surrogateescape")
    assert received(subscriber).channel == publisher.channel == text
    assert domain.subscribe(text).channels() == [text]


def test_a_message_can_have_another_stamp_where_stamps_are_kept(
    domain: saltus.Domain,
) -> None:
    publisher, subscriber = domain.publisher("x"), domain.subscribe("x")
    timestamp = saltus.now_ns() - 1_000_000_000
    assert publisher.publish_with_timestamp(b"old", timestamp) == timestamp
    message = received(subscriber)
    assert message.published_ns == timestamp and message.age_ns() >= 1_000_000_000
    with pytest.raises(saltus.Unsupported):
        saltus.Domain("mem://").publisher("x").publish_with_timestamp(b"old", timestamp)


def test_the_environment_says_which_domain(url: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("SALTUS_DOMAIN", url)
    assert saltus.Domain().url == saltus.Domain("").url == url


def test_a_log_is_a_domain_that_ends(tmp_path: Any) -> None:
    path = tmp_path / "robot.lcmlog"
    with saltus.log.create(path) as log:
        for i in range(5):
            log.write("imu", b"%d" % i, log_time_ns=1_000_000_000 + i * 1_000_000)
    subscriber = saltus.Domain(f"file://{path}?speed=0").subscribe("imu")
    messages = list(subscriber)
    assert [bytes(m) for m in messages] == [b"%d" % i for i in range(5)]
    assert messages[3].logged_us == 1_003_000
    with pytest.raises(saltus.Ended):
        subscriber.receive(1)


def test_messages_that_get_longer_make_their_channel_larger(
    domain: saltus.Domain,
) -> None:
    publisher, subscriber = domain.publisher("img"), domain.subscribe("img")
    messages = [bytes([n]) * size for n, size in enumerate((100, 600, 50, 1_000_000))]
    publisher.publish(messages[0])
    assert bytes(received(subscriber)) == messages[0]
    for message in messages[1:]:
        publisher.publish(message)
    for message in messages[1:]:
        got = received(subscriber)
        assert (bytes(got), got.missed, got.dropped) == (message, 0, 0)


@pytest.mark.parametrize("exists", [False, True])
def test_a_depth_that_is_asked_for_holds(domain: saltus.Domain, exists: bool) -> None:
    publisher = domain.publisher("img")
    if exists:
        publisher.publish(b"first")
    subscriber = domain.subscribe("img", depth=1000, start="now")
    for n in range(3000):
        publisher.publish(b"%d" % n)
    first = received(subscriber)
    rest = list(iter(lambda: subscriber.receive(0), None))
    assert [int(bytes(m)) for m in [first, *rest]] == list(range(2000, 3000))
    assert first.missed + first.dropped == 2000


def test_a_depth_that_cannot_be_had_is_refused_at_once(domain: saltus.Domain) -> None:
    domain.publisher("img").publish(bytes(1 << 20))
    with pytest.raises(saltus.Error, match=r"1000 messages.*saltus mk img"):
        domain.subscribe("img", depth=1000)
    assert domain.subscribe("img").receive(0) is not None


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_and_one_beside_newest_are_refused(
    domain: saltus.Domain, depth: int
) -> None:
    with pytest.raises(saltus.Invalid, match=rf"depth={depth}: give 1 or more"):
        domain.subscribe("img", depth=depth)
    with pytest.raises(saltus.Invalid, match=r"depth=5: with newest=True"):
        domain.subscribe("img", newest=True, depth=5)


@pytest.mark.parametrize(
    "name", ["POSE.*", ".*", "A|B", "ARM_[0-9]", "^POSE$", ".+", "a?", "[a-c]{2}", b"C*"]
)
def test_a_name_that_looks_like_an_expression_is_warned_of_once(
    domain: saltus.Domain, name: Any
) -> None:
    with pytest.warns(UserWarning, match=r"re\.compile") as caught:
        subscriber = domain.subscribe(name)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert repr(name) in str(caught[0].message)
    domain.publisher(name).publish(b"it is a name all the same")
    assert subscriber.receive(0) is not None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["imu[0]", "arm(left)", "a+b", "robot.pose", "/scan", "x-y", "{id}"])
def test_names_that_people_use_are_not_warned_of(domain: saltus.Domain, name: str) -> None:
    assert domain.subscribe(name).receive(0) is None


def test_the_first_message_of_a_new_channel_is_there_at_once(domain: saltus.Domain) -> None:
    for n in range(20):
        subscriber = domain.subscribe(f"fresh{n}")
        assert subscriber.receive(0) is None
        domain.publisher(f"fresh{n}").publish(b"first")
        message = subscriber.receive(0)
        assert message is not None and bytes(message) == b"first"


def test_everything_says_what_it_is(domain: saltus.Domain, tmp_path: Any) -> None:
    tick_t = saltus.types.load("struct tick_t { int8_t x; }").tick_t
    assert repr(saltus.Domain("mem://")) == "saltus.Domain(\"mem://\")"
    publisher, typed = domain.publisher("imu"), domain.publisher("t", type=tick_t)
    assert repr(publisher) == "<publisher of 'imu'>"
    assert repr(typed) == "<publisher of 't', type tick_t>"
    subscriber = domain.subscribe("imu", depth=5)
    assert repr(subscriber) == "<subscriber of 'imu', depth 5>"
    assert repr(domain.subscribe(None, newest=True)) == "<subscriber of all channels, newest>"
    arms = domain.subscribe(re.compile("ARM_.*"), type=tick_t)
    assert repr(arms) == "<subscriber of re.compile('ARM_.*'), type tick_t>"
    publisher.publish(b"1234")
    view = subscriber.view(0)
    assert repr(view) == "<view of 4 bytes, not validated>"
    assert repr(received(subscriber)) == "<message of 'imu': 4 bytes>"
    dispatcher = saltus.Dispatcher()
    dispatcher.on(arms, print)
    assert repr(dispatcher) == "<dispatcher of 1 subscriber(s)>"
    subscriber.close()
    publisher.close()
    assert repr(subscriber) == "<closed subscriber of 'imu', depth 5>"
    assert repr(publisher) == "<closed publisher of 'imu'>"
    path = tmp_path / "robot.mcap"
    with saltus.log.create(path) as writer:
        assert repr(writer) == f"<writer of log {path}>"
        writer.write("imu", b"1")
    with saltus.log.open(path) as log:
        assert repr(log) == f"<log {path}, 1 events>"
    assert repr(log) == f"<closed log {path}>"
