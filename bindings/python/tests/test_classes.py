"""Classes that code generators made are types like those of saltus.types."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest
from conftest import PATIENCE, ROOT, received

import saltus

REPOSITORY = ROOT.parents[1]
#: What `lcm-gen -p` of LCM 1.5.3 made of types.lcm, which lies beside it.
MADE = ROOT / "lcm_made"


def command() -> list[str]:
    built = os.environ.get("SALTUS_COMMAND", "")
    if built and (REPOSITORY / built).exists():  # the one that was tested just before
        return [str(REPOSITORY / built)]
    return ["cargo", "run", "--locked", "--quiet", "--package=saltus-cli", "--"]


def imported(directory: Path) -> tuple[Any, Any]:
    """The classes path_t and point_t of the package below a directory, which no other test has."""
    sys.path.insert(0, str(directory))
    try:
        import fleet  # type: ignore[import-not-found, unused-ignore]

        return fleet.path_t, fleet.point_t
    finally:
        sys.path.remove(str(directory))


def forget() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "fleet"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What `saltus gen` makes of the same types, in each style."""
    directories = {}
    for style in ("lcm", "modern"):
        directories[style] = tmp_path_factory.mktemp(style)
        line = [*command(), "gen", "--lang", "python", "--style", style]
        line += ["--out", str(directories[style]), str(MADE / "types.lcm")]
        subprocess.run(line, cwd=REPOSITORY, check=True)
    return directories


@pytest.fixture(params=["lcm-gen", "lcm", "modern", "load"])
def made(request: Any, generated: dict[str, Path]) -> Iterator[Any]:
    """The same types, as each generator makes them."""
    kind, source = request.param, MADE / "types.lcm"
    if kind == "load":
        types = saltus.types.load(source)
        yield kind, types.path_t, types.point_t
        return
    forget()
    yield (kind, *imported(generated.get(kind, MADE)))
    forget()


def path(path_t: Any, point_t: Any) -> Any:
    message, before, point = path_t(), path_t(), point_t()
    point.x, point.y = 1.5, -2.0
    message.utime, message.frame = 7, "map"
    message.n, message.m, before.n = 1, 1, 0
    message.points, message.before = [point], [before]
    message.raw = b"\xff" if isinstance(message.raw, bytes) else np.array([255], "u1")
    rows = [[0.5], [0.25]]
    message.ranges = rows if isinstance(message.ranges, list) else np.array(rows, "f4")
    if not isinstance(before.ranges, list):
        before.ranges = np.zeros((2, 0), "f4")
    return message


EXPECTED = saltus.types.load(MADE / "types.lcm")


def test_any_class_is_a_type_wherever_a_type_is(domain: saltus.Domain, made: Any) -> None:
    _, path_t, point_t = made
    subscriber = domain.subscribe("path", type=path_t)
    reader = domain.subscribe("path", type=EXPECTED.path_t)
    publisher = domain.publisher("path", type=path_t)
    publisher.publish(path(path_t, point_t))
    value = received(subscriber).value
    assert type(value) is path_t and value.points[0].y == -2.0 and value.frame == "map"
    assert received(reader).value.before[0].n == 0
    publisher.publish({"utime": 9, "points": [point_t()], "ranges": [[1], [2]]})
    sent = received(subscriber).value
    assert (sent.utime, sent.n, sent.m, len(sent.points)) == (9, 1, 0, 1)
    assert "path_t" in repr(subscriber) and "path_t" in repr(publisher)
    assert subscriber.type is publisher.type is path_t


def test_what_a_class_is_is_left_with_the_channel(url: str, made: Any) -> None:
    _, path_t, point_t = made
    domain = saltus.Domain(url)
    domain.publisher("path", type=path_t).publish(path(path_t, point_t))
    other = saltus.types.load("package fleet; struct path_t { int8_t x; }").path_t
    subscriber = domain.subscribe("path", type=other)
    # The difference is known only if the publisher said what its messages are.
    with pytest.raises(saltus.WrongType, match="utime"):
        subscriber.receive(PATIENCE)
    reader = domain.subscribe("path", type=path_t)
    domain.publisher("path", type=other).publish(other(x=1))
    with pytest.raises(saltus.WrongType, match="fleet.path_t"):
        while reader.receive(PATIENCE):
            pass


@pytest.mark.parametrize("name", ["robot.lcmlog", "robot.mcap"])
def test_logs_take_messages_of_any_class(tmp_path: Path, made: Any, name: str) -> None:
    _, path_t, point_t = made
    with saltus.log.create(tmp_path / name) as writer:
        writer.write("path", path(path_t, point_t), log_time_ns=1_000)
    with saltus.log.open(tmp_path / name, types={"path": path_t}) as log:
        event = log[0]
        assert event.type is path_t and event.value().raw[0] == 255
        table = saltus.log.to_pandas(log, "path")
        assert table["utime"].iloc[0] == 7 and table["frame"].iloc[0] == "map"
    if name.endswith("mcap"):
        with saltus.log.open(tmp_path / name) as log:  # the file says what it is
            assert log[0].value().points[0].x == 1.5


def test_what_does_not_fit_is_told_whatever_made_the_class(
    domain: saltus.Domain, made: Any
) -> None:
    _, path_t, point_t = made
    publisher = domain.publisher("path", type=path_t)
    message = path(path_t, point_t)
    message.utime = "soon"
    with pytest.raises(saltus.EncodeFailed):
        publisher.publish(message)
    with pytest.raises(TypeError, match="expected a fleet.path_t or a dict"):
        publisher.publish(point_t())
    subscriber = domain.subscribe("path", type=path_t)
    whole = path(path_t, point_t).encode()
    domain.publisher("path").publish(whole[:-3])
    with pytest.raises(saltus.DecodeFailed, match="channel `path`"):
        subscriber.receive(PATIENCE)


def test_classes_of_lcms_generator_are_described_by_their_tables() -> None:
    from saltus import _typed

    forget()
    path_t, point_t = imported(MADE)
    for kind in (path_t, point_t):
        ours = EXPECTED[f"fleet.{kind.__name__}"]
        name, fingerprint, schema = _typed.described(kind)
        assert (name, fingerprint) == (ours.NAME, ours.FINGERPRINT)
        assert saltus.types.load(schema)[name].FINGERPRINT == fingerprint
    # Tables that are not those of the fingerprint prove nothing.
    strange = type("point_t", (point_t,), {"__typenames__": ["double", "float"]})
    strange.__module__ = "fleet.point_t"
    assert _typed.described(strange)[1:] == (EXPECTED.point_t.FINGERPRINT, "")
    assert saltus.Domain("mem://").subscribe("x", type=strange).receive(0) is None
    # A constant may be called as an attribute of ours.
    named = type("point_t", (point_t,), {"NAME": 5, "__module__": "fleet.point_t"})
    assert _typed.described(named)[0] == "fleet.point_t"
    forget()


def test_messages_can_be_copied_and_pickled(made: Any) -> None:
    kind, path_t, point_t = made
    message = path(path_t, point_t)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(message, protocol))
        assert type(again) is path_t and again.encode() == message.encode()
    deep, flat = copy.deepcopy(message), copy.copy(message)
    assert type(deep) is type(flat) is path_t
    assert flat.points is message.points and deep.points[0] is not message.points[0]
    deep.points[0].x = 7.0
    assert message.points[0].x == 1.5
    if kind in ("load", "modern"):
        assert flat == message != deep


UNPICKLE = """
import pickle, sys
import saltus
message = pickle.load(sys.stdin.buffer)
assert (type(message).NAME, message.points[0].y) == ("fleet.path_t", -2.0)
assert saltus.types.load(type(message).SCHEMA).path_t.decode(message.encode()) == message
"""


def test_a_pickle_of_a_type_that_was_read_at_run_time_is_read_by_another_process() -> None:
    types = saltus.types.load(MADE / "types.lcm")
    data = pickle.dumps(path(types.path_t, types.point_t))
    line = [sys.executable, "-X", "dev", "-W", "error", "-c", UNPICKLE]
    subprocess.run(line, input=data, check=True, timeout=PATIENCE)


def test_a_message_that_contains_itself_can_be_pickled() -> None:
    node_t = saltus.types.load("struct node_t { int32_t n; node_t next[n]; }").node_t
    node = node_t(n=1)
    node.next = [node]
    again = pickle.loads(pickle.dumps(node))
    assert again.next[0] is again
    assert copy.deepcopy(node).next[0] is not node


def test_a_pickle_whose_schema_is_another_is_refused() -> None:
    from saltus.types import _unset

    schema = "struct odd_t { int8_t x; }"
    with pytest.raises(saltus.Invalid, match="does not have its fingerprint"):
        _unset("odd_t", 1, schema)
