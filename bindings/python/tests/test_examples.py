"""The examples do what they say."""

import re
import subprocess
from typing import Any

import pytest
from conftest import PATIENCE, ROOT, Start

EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize("reader", ["newest.py", "next.py"])
def test_one_publishes_and_another_receives(
    reader: str, url: str, start: Start
) -> None:
    receiving = start(str(EXAMPLES / reader), url, "5", stdout=subprocess.PIPE)
    publishing = start(str(EXAMPLES / "publish.py"), url, "1000")
    said, _ = receiving.communicate(timeout=PATIENCE)
    assert receiving.returncode == 0 and publishing.poll() is None
    lines = said.decode().splitlines()
    assert len(lines) == 5 and all(re.search(r"tilt -?\d+\.\d\d", line) for line in lines)


def test_publishing_comes_to_its_end(url: str, start: Start) -> None:
    assert start(str(EXAMPLES / "publish.py"), url, "3").wait(PATIENCE) == 0


@pytest.mark.parametrize(
    "program, says",
    [
        ("wait_two.py", "the pose\nthe scan\n"),
        ("typed.py", "1 1.0 2.0 0.5\n2 0.0 0.0 0.0\n"),
        ("log.py", "100 events; after half a second x is 0.5\n"),
    ],
)
def test_the_others_say_what_they_should(
    program: str, says: str, tmp_path: Any, start: Start
) -> None:
    args = [str(tmp_path / "robot.mcap")] if program == "log.py" else []
    process = start(str(EXAMPLES / program), *args, stdout=subprocess.PIPE)
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert said.decode().replace("np.float64(", "").replace(")", "") == says
