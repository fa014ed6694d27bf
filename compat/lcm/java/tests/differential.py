#!/usr/bin/env python3
"""Programs of LCM's Java package do the same with LCM's jar and with ours.

    python3 compat/lcm/java/tests/differential.py JAR

`bindings/java/test.py` calls it with the jar that Maven installed. LCM's is in its wheel.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
UDPM = "udpm://239.255.76.67:7667"
NETWORK = "ip link set lo up multicast on && ip route add 224.0.0.0/4 dev lo && exec"
SCENARIOS = [
    ["calls", "memq://"],
    ["calls", UDPM],
    ["callbacks", "memq://"],
    ["callbacks", UDPM],
    ["aggregator", "memq://"],
    ["random", os.environ.get("SALTUS_TEST_SEEDS", "5")],
    ["streams", "50"],
    ["urls"],
    ["logs", "1"],
    ["logs", "2"],
]


def run(*line: "str | Path", **options: object) -> str:
    """What a program prints. It must not fail."""
    done = subprocess.run(list(map(str, line)), capture_output=True, timeout=120, **options)
    out = done.stdout.decode(errors="surrogateescape")
    if done.returncode != 0:
        sys.exit(f"{line} ended with {done.returncode}:\n{out}\n{done.stderr.decode(errors='replace')}")
    return out


def network(script: str) -> "list[str]":
    """The line that runs a script of the shell in a network of its own."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--net", "sh", "-c", f"{NETWORK} {script}"]


def lcm() -> "tuple[Path, Path]":
    """LCM's jar and its generator."""
    python = Path(run(sys.executable, ROOT / "lab/conformance/types/environment.py").strip())
    found = run(python, "-c", "import lcm, pathlib; print(pathlib.Path(lcm.__file__).parents[1])")
    return Path(found.strip()) / "share/java/lcm.jar", python.with_name("lcm-gen")


def java(jar: Path, classes: Path, *words: str) -> "list[str]":
    """The line that runs the program with a jar."""
    flags = ["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    return ["java", *flags, "-cp", f"{jar}:{classes}", "Program", *words]


def a_program_prints_the_same_with_either_jar(theirs: Path, ours: Path, place: Path, words: "list[str]") -> int:
    """Runs a scenario with both jars, which must print the same; how many lines."""
    printed = []
    for who, jar in (("theirs", theirs), ("ours", ours)):
        directory = place / f"{who}-{'-'.join(words)}".replace("/", "_").replace(":", "_")
        directory.mkdir()
        line = java(jar, place / "classes", *words)
        if UDPM in words:
            line = network(" ".join(f"'{word}'" for word in line))
        out = run(*line, cwd=directory)
        # LCM prints to the standard output what it skips in a log.
        printed.append([one for one in out.split("\n") if not one.startswith("Bad log event")])
    for n, (their, our) in enumerate(zip(*printed)):
        if their != our:
            before = "\n".join(printed[0][max(n - 8, 0) : n])
            sys.exit(f"{words}, line {n + 1}:\n{before}\n{their}\n--- but ours:\n{our}")
    if len(printed[0]) != len(printed[1]) or len(printed[0]) < 10:
        sys.exit(f"{words}: {len(printed[0])} lines, but ours {len(printed[1])}")
    return len(printed[0])


ANSWER = "  answer ANSWER 00\n  answer ANSWER 70001 "


def talk(jars: "tuple[Path, Path]", classes: Path, url: str) -> None:
    """Two programs, with these jars, meet at a URL."""
    answering, asking = (" ".join(f"'{word}'" for word in java(jar, classes, "talk", "")) for jar in jars)
    # The second one starts when the first one is ready.
    first, second = answering.replace("''", "answer"), asking.replace("''", "ask")
    script = f"export LCM_DEFAULT_URL='{url}'; {first} | {{ read ready; {second}; cat; }}"
    out = run(*network(f"sh -c \"{script}\""))
    if ANSWER not in out or out.count("true\n") != 2:
        sys.exit(f"{jars} at {url}:\n{out}")


def main(ours: Path) -> None:
    """All of it."""
    theirs, generator = lcm()
    with tempfile.TemporaryDirectory(prefix="saltus-lcm-", dir="/dev/shm") as name:
        place = Path(name)
        # Compiled for LCM's jar, and not again.
        flags = ["javac", "--release", "8", "-nowarn", "-Xlint:-options"]
        run(*flags, "-cp", theirs, "-d", place / "classes", HERE / "Program.java")
        same = partial(a_program_prints_the_same_with_either_jar, theirs, ours, place)
        with ThreadPoolExecutor(2) as pool:
            lines = sum(pool.map(same, SCENARIOS))
        talk((ours, ours), place / "classes", f"shm://{place}/domain")
        talk((theirs, ours), place / "classes", UDPM)
        talk((ours, theirs), place / "classes", UDPM)
        # LCM's generated classes, and a program with them, compiled for our jar.
        tests = ROOT / "crates/gen/tests"
        run(generator, "--java", "--jpath", place / "types", tests / "python/types/exlcm.lcm")
        sources = [*(place / "types").rglob("*.java"), tests / "java/LcmProgram.java"]
        run(*flags, "-cp", ours, "-d", place / "generated", *sources)
        run("java", "-cp", f"{ours}:{place / 'generated'}", "LcmProgram")
    print(f"lcm: {len(SCENARIOS)} scenarios, {lines} lines the same with LCM's jar")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
