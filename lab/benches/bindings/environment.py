#!/usr/bin/env python3
"""Makes the environment of the benchmark in target/bench-bindings: the library of C, the packages of Python and Java, NumPy, and packages of others.

What of those cannot be had is named, and left out of the measurement.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
VENV = ROOT / "target" / "bench-bindings"
OTHERS = ["iceoryx2==0.10.0", "lcm==1.5.3", "pyzmq==27.3.0", "eclipse-zenoh==1.10.2"]


def main() -> None:
    """Makes it, or brings it up to date."""
    subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    subprocess.run([str(ROOT / "bindings" / "c" / "install.sh"), str(VENV / "saltus")], check=True)
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, str(ROOT / "bindings" / "python"), "numpy"], check=True)
    for other in OTHERS:
        if subprocess.run([*pip, "--only-binary=:all:", other]).returncode != 0:
            print(f"NOT INSTALLED, and not measured: {other}", file=sys.stderr)
    java()


def java() -> None:
    """The programs in Java, over the package's classes and its native library as cargo builds it."""
    cargo = ["cargo", "build", "--quiet", "--profile=dist", "--locked", "--package=saltus-java"]
    subprocess.run([*cargo, f"--target-dir={ROOT / 'target'}"], cwd=ROOT, check=True)
    sources = [*(ROOT / "bindings" / "java" / "src" / "main" / "java").rglob("*.java")]
    programs = [*(ROOT / "lab" / "benches" / "bindings" / "programs").glob("*.java")]
    jars = [str(jar) for jar in VENV.rglob("lcm.jar")]
    if not jars:  # LCM's program is left out with it
        programs = [program for program in programs if program.name != "LcmEnd.java"]
    line = ["javac", "-nowarn", "-proc:none", "-d", str(VENV / "java"), "-classpath", ":".join(jars)]
    subprocess.run([*line, *map(str, sources), *map(str, programs)], check=True)


if __name__ == "__main__":
    main()
