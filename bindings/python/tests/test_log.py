"""Logs are read, written, moved about in, and told as tables."""

import sys
from typing import Any

import pandas as pd
import pytest

import saltus

START = 1_700_000_000_000_000_000
pose_t = saltus.types.load(
    "struct pose_t { int64_t utime; double pos[3]; string name; }"
).pose_t
types = saltus.types.load(pose_t.SCHEMA)


@pytest.fixture(params=["robot.mcap", "robot.lcmlog"])
def path(request: Any, tmp_path: Any) -> Any:
    path = tmp_path / request.param
    with saltus.log.create(path) as log:
        for i in range(100):
            at = START + i * 10_000_000
            log.write("POSE", pose_t(utime=i, pos=[i, 0, -i], name="x"), log_time_ns=at)
            log.write("RAW", b"raw %d" % i, log_time_ns=at)
        assert log.events == 200
    assert log.closed
    return path


def test_events_come_back_as_they_were_written(path: Any) -> None:
    with saltus.log.open(path, types=types) as log:
        assert len(log) == 200 and log.channels() == {"POSE": 100, "RAW": 100}
        assert log.format == ("mcap" if str(path).endswith("mcap") else "lcm")
        assert log.times_ns == (START, START + 990_000_000) and log.damage == "none"
        events = list(log)
    assert bytes(events[1]) == b"raw 0" == events[1].data and len(events[1]) == 5
    assert events[7].log_time_ns == START + 30_000_000 and events[7].channel == "RAW"
    value = events[20].value()
    assert (value.utime, value.pos.tolist(), value.name) == (10, [10, 0, -10], "x")
    assert isinstance(value, types.pose_t)


def test_one_moves_about_by_time_and_by_position(path: Any) -> None:
    with saltus.log.open(path) as log:
        assert log.seek_time(START + 495_000_000) == 100 == log.position
        event = log.next()
        assert event is not None and event.log_time_ns == START + 500_000_000
        back = log.previous()
        assert back is not None and back.log_time_ns == START + 500_000_000
        log.seek(0)
        assert log.previous() is None and bytes(log[-1]) == b"raw 99" == bytes(log[199])
        for wrong in (200, -201, 2**62):
            with pytest.raises(IndexError):
                log[wrong]
        log.seek(2**40)
        assert log.next() is None and log.position == 200 and list(log) == []


def test_mcap_knows_its_types_and_lcms_log_says_what_to_do(path: Any) -> None:
    with saltus.log.open(path) as log:
        event = log[0]
        if log.format == "mcap":
            assert (
                event.value().pos.tolist() == [0, 0, 0] and event.type.NAME == "pose_t"
            )
        else:
            assert event.type is None
            with pytest.raises(saltus.Unsupported, match="types="):
                event.value()


def test_a_channel_becomes_a_table(path: Any) -> None:
    with saltus.log.open(path, types=types) as log:
        table = saltus.log.to_pandas(log, "POSE")
        assert list(table.columns) == ["utime", "pos[0]", "pos[1]", "pos[2]", "name"]
        assert len(table) == 100 and table["pos[2]"].iloc[7] == -7
        assert table.index[50] == pd.Timestamp(START + 500_000_000, tz="UTC")
        with pytest.raises(saltus.Invalid, match="there are POSE, RAW"):
            saltus.log.to_pandas(log, "NOTHING")


def test_without_pandas_it_is_told_what_to_do(
    path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with saltus.log.open(path, types=types) as log:
        with pytest.raises(saltus.Unsupported, match="pip install pandas"):
            saltus.log.to_pandas(log, "POSE")


def test_what_is_no_log_or_closed_is_told(tmp_path: Any, path: Any) -> None:
    with pytest.raises(saltus.NotFound):
        saltus.log.open(tmp_path / "nowhere.mcap")
    (tmp_path / "text").write_text("no log")
    with pytest.raises(saltus.NotALog, match="not a log"):
        saltus.log.open(tmp_path / "text")
    log = saltus.log.open(path)
    log.close()
    log.close()
    for call in (log.next, lambda: len(log), lambda: log[0], lambda: log.times_ns):
        with pytest.raises(saltus.Closed):
            call()
    writer = saltus.log.create(tmp_path / "b.mcap", compression="none")
    writer.close()
    writer.close()
    with pytest.raises(saltus.Closed):
        writer.write("x", b"")
    with pytest.raises(saltus.Exists):
        saltus.log.create(tmp_path / "b.mcap")
    for wrong in ({"format": "bag"}, {"compression": "zip"}):
        with pytest.raises(saltus.Invalid):
            saltus.log.create(tmp_path / "c.mcap", **wrong)
    with pytest.raises(saltus.Invalid, match="format"):
        saltus.log.create(tmp_path / "c.bag")
    with pytest.raises(saltus.NotFound):
        saltus.log.create(tmp_path / "nowhere" / "c.mcap")


def test_a_log_that_lost_its_end_is_read_to_there(path: Any) -> None:
    path.write_bytes(path.read_bytes()[:-300])
    with saltus.log.open(path, types=types) as log:
        assert log.damage != "none"
        assert all(len(event.data) >= 0 for event in log)
