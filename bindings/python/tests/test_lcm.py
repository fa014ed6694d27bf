"""Programs of LCM run over Saltus: with LCM's own package they print the same."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import PATIENCE, ROOT, Start
from test_network import NETWORK

import saltus

PROGRAM = str(ROOT / "tests" / "lcm_program.py")
#: Sequences of random calls.
SEEDS = os.environ.get("SALTUS_TEST_SEEDS", "8")


def run(*line: str, **options: Any) -> str:
    """What a program prints. It must not fail."""
    done: "subprocess.CompletedProcess[str]" = subprocess.run(
        line, capture_output=True, text=True, timeout=4 * PATIENCE, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def network(*words: str) -> str:
    """The same in a network of its own."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    line = " ".join(f"'{word}'" for word in words)
    return run("unshare", *user, "--net", "sh", "-c", f"{NETWORK} {line}")


@pytest.mark.parametrize(
    "scenario",
    [
        ["calls", "memq://"],
        ["calls", "udpm://239.255.76.67:7667?ttl=0"],
        ["callbacks", "memq://"],
        ["callbacks", "udpm://239.255.76.67:7667?ttl=0"],
        ["threads", "memq://"],
        ["signals", "udpm://239.255.76.67:7667?ttl=0"],
        ["random", "memq://", SEEDS, "300"],
        ["logs", "1"],
        ["logs", "2"],
    ],
    ids=lambda scenario: " ".join(scenario[:2]),
)
def test_a_program_prints_the_same_with_lcms_package_and_with_ours(
    scenario: list[str], tmp_path: Path
) -> None:
    printed = []
    for package in ("lcm", "saltus.lcm"):
        words = list(scenario)
        if words[0] == "logs":  # each in a directory of its own
            (tmp_path / package).mkdir()
            words.insert(1, str(tmp_path / package))
        # LCM's package crashes in dev mode, so neither is in it.
        launch = network if "udpm" in words[1] else run
        printed.append(launch(sys.executable, PROGRAM, package, *words).splitlines())
    theirs, ours = printed
    for n, (their, our) in enumerate(zip(theirs, ours)):
        assert their == our, f"line {n}, after {theirs[max(n - 8, 0) : n]}"
    assert len(theirs) == len(ours) > 4


def test_the_package_lcm_is_saltus_lcm_under_that_name(tmp_path: Path) -> None:
    package = ROOT.parents[1] / "compat" / "lcm" / "python"
    copy = tmp_path / "copy"  # nothing is written next to the sources
    subprocess.run(["cp", "-r", str(package), str(copy)], check=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    run(*pip, "--no-deps", "--target", str(tmp_path / "lcm"), str(copy))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "lcm")}
    program = "import lcm, saltus.lcm; print(lcm.LCM is saltus.lcm.LCM, lcm.EventLog is saltus.lcm.EventLog)"
    assert run(sys.executable, "-c", program, env=environment) == "True True\n"
    version = "from importlib.metadata import version; print(version('lcm'))"
    assert run(sys.executable, "-c", version, env=environment) == "1.5.3+saltus\n"


TALK = """
import sys
import saltus.lcm as lcm

lc = lcm.LCM()
def answered(channel, data):
    print(channel, data.decode(), flush=True)
if "answer" in sys.argv:
    one = lc.subscribe("ASK", lambda channel, data: lc.publish("ANSWER", b"to " + data))
    print("ready", flush=True)
    lc.handle()
else:
    lc.subscribe("ANSWER", answered)
    lc.publish("ASK", "this")
    lc.handle()
"""


def test_a_variable_moves_unchanged_programs_to_shared_memory(url: str, start: Start) -> None:
    environment = {**os.environ, "LCM_DEFAULT_URL": url}
    pipe = subprocess.PIPE
    answering = start("-c", TALK, "answer", env=environment, stdout=pipe)
    assert answering.stdout and answering.stdout.readline() == b"ready\n"
    asking = start("-c", TALK, env=environment, stdout=pipe)
    assert asking.communicate(timeout=PATIENCE)[0] == b"ANSWER to this\n"
    assert answering.wait(PATIENCE) == 0
    assert saltus.Domain(url).channels() == ["ANSWER", "ASK"]


RELEASED = """
import gc, os, sys, weakref
import saltus.lcm as lcm

class Robot:
    def __init__(self):
        self.lc = lcm.LCM(sys.argv[1])
        self.one = self.lc.subscribe("A", self.received)
        self.two = self.lc.subscribe("B", self.received)
        self.lc.unsubscribe(self.two)
    def received(self, channel, data):
        self.data = data

def count():
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

def once():
    robot = Robot()
    robot.lc.publish("A", b"x")
    assert robot.lc.handle_timeout(20_000) == 1 and robot.data == b"x"
    return weakref.ref(robot)

once(); gc.collect()
before = count()
gone = [once() for _ in range(20)]
gc.collect()
assert not any(one() for one in gone), "kept"
assert count() == before, (count(), before)
kept = Robot()
kept.one.set_queue_capacity(1)
one = kept.one
del kept
gc.collect()
one.set_queue_capacity(2)  # its LCM is gone
gc.disable()
def function(channel, data):
    pass
lc = lcm.LCM(sys.argv[1])
one = lc.subscribe("A", function)
function = weakref.ref(function)
del lc
assert function() is None, "kept by its subscription"
one.set_queue_capacity(3)
for wrong in (lambda: lcm.LCMSubscription().set_queue_capacity(1), lambda: lcm.EventLog("x", "a")):
    try:
        wrong()
        assert False
    except ValueError:
        pass
print("released")
"""


def test_an_object_whose_method_is_the_callback_is_released_with_threads_and_descriptors(url: str) -> None:
    line = [sys.executable, "-X", "dev", "-W", "error", "-c", RELEASED]
    for where in ("memq://", url):
        assert run(*line, where) == "released\n"


def test_misuse_where_lcm_crashes_raises(tmp_path: Path) -> None:
    import saltus.lcm as lcm

    class Unfinished(lcm.LCM):
        def __init__(self) -> None:
            pass

    with pytest.raises(RuntimeError, match="__init__"):
        Unfinished().publish("A", b"")
    with pytest.raises(FileNotFoundError, match="no such file or directory: '.*nowhere'") as refused:
        lcm.EventLog(tmp_path / "nowhere")
    with pytest.raises(OSError, match="cannot write to the log: no space left on device") as full:
        lcm.EventLog("/dev/full", "w", overwrite=True).write_event(1, "A", b"x" * 100_000)
    assert "os error" not in f"{refused.value} {full.value}"
    log = lcm.EventLog(tmp_path / "log", "w")
    with pytest.raises(ValueError, match="channel"):
        log.write_event(1, "", b"")
    log.close()
    for call in (log.tell, log.size, lambda: log.write_event(1, "A", b"")):
        with pytest.raises(ValueError, match="closed"):
            call()
    lc = lcm.LCM("memq://")
    one = lc.subscribe("A", lambda channel, data: None)
    assert one
    lc.unsubscribe(one)
    one.set_queue_capacity(3)
    lc.subscribe("B", lambda channel, data: lc.__init__("memq://"))  # type: ignore[misc]
    lc.publish("B", bytearray(b"bytes-like"))
    with pytest.raises(RuntimeError, match="twice"):
        lc.handle()


FORKED = """
import os, sys, threading, time, warnings
import saltus.lcm as lcm

warnings.simplefilter("ignore")  # newer versions of Python warn of fork in a program with threads
lc = lcm.LCM(sys.argv[1])
lc.subscribe("A", lambda channel, data: None)
handling = threading.Thread(target=lc.handle)
handling.start()
time.sleep(1)  # it waits now
try:
    lc.handle_timeout(0)
    assert False
except RuntimeError:
    pass
child = os.fork()
if child == 0:
    code = 1
    try:
        lc.publish("A", b"x")
        assert lc.handle_timeout(20_000) > 0
        assert lc.handle_timeout(10) == 0
        code = 0
    finally:
        os._exit(code)
assert os.waitpid(child, 0)[1] == 0
lc.publish("A", b"x")
handling.join(20)
print("forked", handling.is_alive())
"""


def test_a_child_that_is_forked_while_a_thread_waits_can_handle_messages(url: str) -> None:
    for where in ("memq://", url):
        assert run(sys.executable, "-X", "dev", "-c", FORKED, where) == "forked False\n"


FIFO = """
import os, sys, threading, time
import saltus.lcm as lcm

def in_thread(call):
    def called():
        try:
            call()
        except ValueError:
            pass  # closed meanwhile
    thread = threading.Thread(target=called)
    thread.start()
    return thread

os.mkfifo(sys.argv[1])
other = os.open(sys.argv[1], os.O_RDWR)
log = lcm.EventLog(sys.argv[1], "r")
calls = (log.read_next_event, lambda: log.seek(0), log.tell, log.size, log.close)
threads = []
for call in calls:
    threads.append(in_thread(call))
    time.sleep(0.2)
os.close(other)  # the first one reads to the end, and the others go on
for thread in threads:
    thread.join(20)
print("closed", any(thread.is_alive() for thread in threads))
"""


def test_other_threads_run_while_a_log_is_read_from_a_fifo(tmp_path: Path) -> None:
    assert run(sys.executable, "-X", "dev", "-c", FIFO, str(tmp_path / "fifo")) == "closed False\n"
