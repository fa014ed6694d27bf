#!/usr/bin/env python3
"""Tests the binding as its users have it: installed by Maven, used from its repository.

    python3 bindings/java/test.py [MAVEN ARGUMENTS]
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
TYPES = TARGET / "java-types"
#: The tests of the jar with LCM's package.
LCM = ROOT / "compat" / "lcm" / "java" / "tests" / "differential.py"
#: Scripts of Octave that were started.
STARTED: "list[subprocess.Popen[str]]" = []
#: What -Xcheck:jni says of a method that misuses JNI.
JNI = re.compile(r"in native method|JNI local refs|JNI call made")


def generate() -> None:
    """Makes the examples' types, for Java and for Octave."""
    shutil.rmtree(TYPES, ignore_errors=True)
    saltus = ["cargo", "run", "--locked", "--quiet", "--package=saltus-cli", "--"]
    built = os.environ.get("SALTUS_COMMAND", "")
    if built and (ROOT / built).exists():  # the one that was tested just before
        saltus = [str(ROOT / built)]
    for lang in ("java", "octave"):
        line = [*saltus, "gen", "--lang", lang, "--out", str(TYPES / lang)]
        line.append(str(HERE / "examples" / "types"))
        subprocess.run(line, cwd=ROOT, check=True)


def run(line: "list[str]", **options: object) -> None:
    """Runs a program; shows what it says, and fails if JNI warns in it."""
    process = subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    assert process.stdout is not None
    warned = False
    for said in process.stdout:
        print(said, end="", flush=True)
        warned = warned or JNI.search(said) is not None
    if process.wait() != 0:
        sys.exit(f"{line[0]} ended with {process.returncode}")
    if warned:
        sys.exit(f"{line[0]}: JNI warned: see above")


def reports() -> None:
    """What tests printed, that Maven did not show."""
    for path in (TARGET / "java" / "surefire-reports").iterdir():
        if JNI.search(path.read_text(errors="replace")):
            sys.exit(f"{path}: JNI warned")


def octave(jar: Path, script: str, **variables: object) -> "subprocess.Popen[str]":
    """Starts a script of Octave's with the jar, the generated types, and these variables."""
    paths = f"javaaddpath('{jar}'); javaaddpath('{TYPES / 'classes'}');"
    paths += f"addpath('{TYPES / 'octave'}'); addpath('{ROOT / 'bindings' / 'octave'}');"
    given = "".join(f"{k} = {repr(v)};" for k, v in variables.items())
    source = f"source('{ROOT / 'bindings' / 'octave' / script}');"
    javac = Path(shutil.which("javac") or "javac").resolve()
    process = subprocess.Popen(
        ["octave-cli", "--norc", "--eval", paths + given + source],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "JAVA_HOME": str(javac.parents[1])},
    )
    STARTED.append(process)
    return process


def said(process: "subprocess.Popen[str]", pattern: str) -> None:
    """Waits for a script, whose lines must be this, but for what Octave 7 says when it ends."""
    out, _ = process.communicate(timeout=120)
    lines = [line for line in out.splitlines() if "while preparing to exit" not in line]
    if process.returncode != 0 or not re.fullmatch(pattern, "\n".join(lines)):
        sys.exit(f"{process.args}\nended with {process.returncode}:\n{out}")


def octave_all(jar: Path) -> None:
    """Octave's tests and examples, with what Maven installed."""
    sources = [str(path) for path in (TYPES / "octave" / "java").rglob("*.java")]
    subprocess.run(["javac", "-nowarn", "-d", str(TYPES / "classes"), *sources], check=True)
    with tempfile.TemporaryDirectory(prefix="saltus-octave-", dir="/dev/shm") as place:
        url = f"shm://{place}/domain"
        said(octave(jar, "tests/all.m", url=url, dir=place), "all is as it should be")
        # Deep enough that nothing is overwritten while the examples start.
        url = f"shm://{place}/examples?depth=1024"
        newest = octave(jar, "examples/newest.m", url=url, count=10)
        following = octave(jar, "examples/next.m", url=url, count=20)
        publishing = octave(jar, "examples/publish.m", url=url, count=1_000_000)  # until it is killed
        said(newest, r"(tilt [\d.]+, \d+ us old\n?){10}")
        said(following, r"(\d+ tilt [\d.]+ missed: 0\n?){20}")
        publishing.kill()
        said(octave(jar, "examples/wait_two.m"), "the pose\nthe scan")
        said(octave(jar, "examples/typed.m"), "1 0.5 base")
        log = octave(jar, "examples/log.m", file=f"{place}/example.mcap")
        said(log, "100 events; after half a second x is 0.5")
    print("octave: 7 scripts passed")


def main() -> int:
    """Generates, installs, tests, and takes out what was installed."""
    generate()
    shutil.rmtree(TARGET / "java", ignore_errors=True)
    home = Path(os.environ.get("HOME", "~")).expanduser()
    installed = home / ".m2" / "repository" / "org" / "saltus"
    installed.parent.mkdir(parents=True, exist_ok=True)
    lock = open(installed.parent / ".saltus-test.lock", "w")  # kept, for the next
    fcntl.flock(lock, fcntl.LOCK_EX)  # one run at a time, until this one ends
    was_there = installed.exists()
    maven = ["mvn", "--batch-mode", "--no-transfer-progress", "-Pdebug", "install"]
    maven += [f"-Dtypes={TYPES / 'java'}", f"-Dcargo.target={TARGET}"]
    try:
        run([*maven, *sys.argv[1:]], cwd=HERE)
        reports()
        lcm, jar = sorted(installed.glob("saltus/*/saltus-*.jar"))
        octave_all(jar)
        run([sys.executable, str(LCM), str(lcm)])
    finally:
        for process in STARTED:
            process.kill()
            process.communicate()
        if not was_there:
            shutil.rmtree(installed, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
