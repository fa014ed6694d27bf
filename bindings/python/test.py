#!/usr/bin/env python3
"""Tests the binding as its users have it: installed by pip into a new environment.

    python3 bindings/python/test.py [PYTEST ARGUMENTS]
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE.parents[1] / "target" / "python-binding"


def main() -> int:
    """Makes the environment anew, installs, and runs the tests in dev mode."""
    shutil.rmtree(VENV, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    python = str(VENV / "bin" / "python")
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, str(HERE)], check=True)
    wheels = ["--only-binary=:all:", "-r", str(HERE / "tests" / "requirements.txt")]
    subprocess.run([*pip, *wheels], check=True)
    # In dev mode, with warnings as errors; nothing is written beside the sources.
    line = [
        python,
        "-X",
        "dev",
        "-W",
        "error",
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if "SALTUS_PRELOAD" in os.environ:  # a sanitizer's runtime, which must come first
        environment["LD_PRELOAD"] = os.environ["SALTUS_PRELOAD"]
    return subprocess.run([*line, *sys.argv[1:]], cwd=HERE, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
