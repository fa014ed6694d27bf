import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

import saltus

#: So long anything may take that should take a moment: the machine may be busy.
PATIENCE = 30.0

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def url() -> Iterator[str]:
    """A domain in shared memory that nobody else has, and that is removed."""
    directory = tempfile.mkdtemp(prefix="saltus-python-", dir="/dev/shm")
    yield f"shm://{directory}"
    shutil.rmtree(directory)


@pytest.fixture
def domain(url: str) -> Iterator[saltus.Domain]:
    with saltus.Domain(url) as opened:
        yield opened


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts programs, which end with the test. In dev mode, with warnings as errors."""
    running = []

    def start(*args: str, **options: Any) -> "subprocess.Popen[bytes]":
        line = [sys.executable, "-X", "dev", "-W", "error", *args]
        process = subprocess.Popen(line, **options)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def received(subscriber: Any) -> Any:
    """The next message, which must come."""
    message = subscriber.receive(PATIENCE)
    assert message is not None, "no message came"
    return message


ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
# A shell that runs something in the background lets it ignore Ctrl-C, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
