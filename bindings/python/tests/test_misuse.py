"""Bad input gets an exception that says what is wrong, never a crash."""

import re
import threading
from typing import Any

import pytest
from conftest import PATIENCE, ROOT, received

import saltus


def test_exceptions_have_the_names_and_codes_of_c() -> None:
    page = (ROOT.parents[1] / "docs" / "errors.md").read_text()
    rows = re.findall(
        r"^\| (\d+) \| `SALTUS_[A-Z_]+` \| `(\w+)` \|", page, re.MULTILINE
    )
    assert len(rows) >= 24
    for code, name in rows:
        kind = getattr(saltus, name)
        assert kind.code == int(code) and issubclass(kind, saltus.Error), name


def test_what_is_closed_says_so_and_closing_twice_is_nothing(
    domain: saltus.Domain,
) -> None:
    publisher, subscriber = domain.publisher("x"), domain.subscribe("x")
    calls: list[Any] = [
        lambda: publisher.publish(b""),
        lambda: publisher.sender,
        lambda: subscriber.receive(0),
        lambda: subscriber.receive(),
        lambda: subscriber.current(),
        lambda: subscriber.wait(),
        lambda: subscriber.fileno(),
        lambda: subscriber.channels(),
        lambda: subscriber.mismatched,
        lambda: list(subscriber),
        lambda: saltus.wait_any([subscriber], 0),
        lambda: domain.publisher("x"),
        lambda: domain.subscribe("x"),
        lambda: domain.channels(),
    ]
    for thing in (publisher, subscriber, domain):
        assert not thing.closed
        with thing:
            pass
        thing.close()
        assert thing.closed
    for call in calls:
        with pytest.raises(saltus.Closed, match="is closed"):
            call()


def test_a_second_thread_is_told_that_it_is_one_too_many(domain: saltus.Domain) -> None:
    subscriber = domain.subscribe("nothing")

    got: list[Any] = []

    def wait() -> None:
        while not got:
            try:
                got.append(subscriber.receive(2 * PATIENCE))
            except saltus.Busy:
                pass  # it was itself the one too many, for a moment

    waiting = threading.Thread(target=wait)
    waiting.start()
    with pytest.raises(saltus.Busy, match="another thread"):
        while True:  # until the thread waits
            subscriber.current(0)
    domain.publisher("nothing").publish(b"the end")
    waiting.join(PATIENCE)
    assert [bytes(message) for message in got] == [b"the end"]


def test_threads_that_do_all_at_once_get_messages_or_exceptions(
    domain: saltus.Domain,
) -> None:
    subscriber, publisher = domain.subscribe("x"), domain.publisher("x")
    wrong: list[BaseException] = []

    def work(n: int) -> None:
        for i in range(300):
            try:
                publisher.publish(bytes([n]) * 20000)
                message = subscriber.receive(0.001)
                assert message is None or len(set(message.data)) == 1
            except (saltus.Busy, saltus.Closed):
                pass
            except BaseException as error:
                wrong.append(error)
            if n == 0 and i == 250:
                subscriber.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and subscriber.closed


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda d: saltus.Domain("nonsense"), saltus.Invalid, "not a domain URL"),
        (lambda d: saltus.Domain("mem://?x=1"), saltus.Invalid, "has no option"),
        (lambda d: saltus.Domain("carrier://pigeon"), saltus.NoProvider, "carrier"),
        (lambda d: saltus.Domain("file:///nowhere/at/all"), saltus.Error, "nowhere"),
        (lambda d: d.__class__(7), TypeError, "str"),
        (lambda d: d.publisher(""), saltus.Invalid, "name"),
        (lambda d: d.publisher("x" * 64), saltus.Invalid, "63"),
        (lambda d: d.publisher(7), TypeError, "int"),
        (lambda d: d.publisher("x", type=7), TypeError, "not int"),
        (lambda d: d.publisher("x", type=dict), TypeError, "a type is a class"),
        (lambda d: d.publisher("x").publish("text"), TypeError, "bytes-like"),
        (lambda d: d.publisher("x").publish(None), TypeError, "bytes-like"),
        (
            lambda d: d.publisher("x").publish(memoryview(b"1234")[::2]),
            BufferError,
            "contiguous",
        ),
        (
            lambda d: d.subscribe(re.compile("(?<=a)b")),
            saltus.Invalid,
            "regular expression",
        ),
        (lambda d: d.subscribe(re.compile("a", re.I)), saltus.Invalid, "flags"),
        (lambda d: d.subscribe("x", start="yesterday"), saltus.Invalid, "oldest"),
        (lambda d: d.subscribe("x", depth=-1), saltus.Invalid, "depth=-1: give 1 or more"),
        (lambda d: d.subscribe("x").receive(-1), saltus.Invalid, "timeout"),
        (lambda d: d.subscribe("x").receive(float("nan")), saltus.Invalid, "timeout"),
        (lambda d: d.subscribe("x").receive("soon"), TypeError, ""),
        (lambda d: vars(saltus)["wait_any"]([1]), TypeError, ""),
        (lambda d: saltus.wait_any([]), saltus.Invalid, "no subscribers"),
        (lambda d: type(d.subscribe("x"))(), TypeError, "No constructor|cannot create"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(
    domain: saltus.Domain, call: Any, error: Any, text: str
) -> None:
    with pytest.raises(error, match=text):
        call(domain)


def test_a_message_too_long_for_the_channel_is_told_with_its_length(url: str) -> None:
    publisher = saltus.Domain(f"{url}?max_message_size=64").publisher("x")
    publisher.publish(bytes(64))
    with pytest.raises(saltus.TooLong, match="65") as caught:
        publisher.publish(bytes(65))
    assert caught.value.code == 4


def test_the_owner_of_lent_bytes_is_no_way_to_memory(domain: saltus.Domain) -> None:
    subscriber, publisher = domain.subscribe("x"), domain.publisher("x")
    publisher.publish(bytes(1 << 20))
    kind: Any = type(received(subscriber).data.obj)
    assert bytes(kind.__new__(kind)) == b""


def test_errors_of_a_wrong_kind_have_their_usual_kin() -> None:
    assert issubclass(saltus.Invalid, ValueError)
    assert issubclass(saltus.Closed, saltus.Invalid) and issubclass(
        saltus.Busy, saltus.Invalid
    )
    assert issubclass(saltus.DecodeFailed, ValueError)


def test_reasons_of_the_system_have_no_numbers(tmp_path: Any) -> None:
    (tmp_path / "file").touch()
    for call in (
        lambda: saltus.log.open(tmp_path / "nowhere.mcap"),
        lambda: saltus.log.create(tmp_path / "nowhere" / "a.mcap"),
        lambda: saltus.types.load(tmp_path / "nowhere.lcm"),
        lambda: saltus.Domain(f"shm://{tmp_path}/file/x").publisher("x").publish(b""),
    ):
        with pytest.raises(saltus.Error) as caught:
            call()
        text = str(caught.value)
        assert "os error" not in text and re.search("no such file|not a directory", text), text
