"""Files that are cut short while they are mapped: ours end nobody, and Python handles its own as ever."""

import os
import signal
from pathlib import Path

import pytest

import saltus
from conftest import PATIENCE, Start


def cut(url: str, channel: str) -> None:
    os.truncate(Path(url.removeprefix("shm://")) / channel / "data", 0)


def test_a_view_of_a_channel_that_is_cut_short_is_not_whole(
    domain: saltus.Domain, url: str
) -> None:
    subscriber = domain.subscribe("x", depth=10)
    publisher = domain.publisher("x")
    message = bytes(500_000) + b"\x07" + bytes(500_000)
    publisher.publish(message)
    view = subscriber.view(timeout=PATIENCE)
    assert view is not None
    with pytest.raises(saltus.Error), view:
        assert view.data[500_000] == 7
        cut(url, "x")
        assert view.data[500_000] == 0
    with pytest.raises(saltus.Error):
        publisher.publish(message)
    with pytest.raises(saltus.Error):
        subscriber.receive(timeout=PATIENCE)


FOREIGN = """
import faulthandler, mmap, os, sys, tempfile
if sys.argv[2] == "before": faulthandler.enable()
import saltus
with saltus.Domain(sys.argv[1]) as domain:
    domain.publisher("x").publish(b"ours")
    with tempfile.TemporaryFile() as file:
        file.truncate(4096)
        mapped = mmap.mmap(file.fileno(), 4096)
        file.truncate(0)
        mapped[0]
"""


@pytest.mark.parametrize("enabled", ["before", "not"])
def test_a_file_that_python_has_mapped_still_ends_it(
    url: str, start: Start, enabled: str
) -> None:
    process = start("-c", FOREIGN, url, enabled)
    assert process.wait(PATIENCE) == -signal.SIGBUS
