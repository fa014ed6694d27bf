#!/usr/bin/env python3
"""Makes the virtual environment that the tests of types need, once, and prints the path of its Python.

It lies in `target/python-types` of the workspace. Any number of tests may ask at once: the first makes it, the others
wait. It is made anew when the list of packages (`requirements.txt`) changes. It is not called `venv.py`: Python would take
it for its own module of that name.

The package `lcm` is an oracle: its generator and its library say what is right. Nothing of it is copied or shipped.
"""

import fcntl
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = HERE / "requirements.txt"
TARGET = HERE.parents[2] / "target"
VENV = TARGET / "python-types"
PYTHON = VENV / "bin" / "python"


def make() -> None:
    """Makes the environment, unless it is there and has these packages; which Python asks does not matter."""
    wanted = PACKAGES.read_text()
    made = VENV / "made-of"
    if made.exists() and made.read_text() == wanted:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True, stdout=sys.stderr, cwd=TARGET)
    pip = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--only-binary=:all:"]
    subprocess.run([*pip, "-r", str(PACKAGES)], check=True, stdout=sys.stderr)
    made.write_text(wanted)


def main() -> None:
    """Makes the environment while nobody else does."""
    TARGET.mkdir(exist_ok=True)
    with open(TARGET / "python-types.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make()
    print(PYTHON)


if __name__ == "__main__":
    main()
