"""Two programs over LCM's network: in a network of their own, which nothing leaves."""

import os
import subprocess
import sys
from typing import Any

from conftest import PATIENCE

PROGRAM = """
import subprocess, sys
import saltus

domain = saltus.Domain("udpm://239.255.76.67:7667?ttl=0")
lengths = [0, 1, 1000, 100_000, 5]
if "publish" in sys.argv:
    publisher = domain.publisher("x")
    for length in lengths:
        publisher.publish(memoryview(bytearray(b"x" * length)))
else:
    subscriber = domain.subscribe("x")
    subscriber.receive(0)
    other = subprocess.Popen([sys.executable, __file__, "publish"])
    messages = [subscriber.receive(PATIENCE) for _ in lengths]
    # A message of many packets may be overtaken by shorter ones.
    assert sorted(map(len, messages)) == sorted(lengths)
    assert all(bytes(m) == b"x" * len(m) and m.channel == "x" for m in messages)
    assert {m.sender is None for m in messages} == {False}
    assert messages[-1].missed_of_sender and sum(m.missed or 0 for m in messages) == 0
    assert domain.channels() == ["x"]
    assert other.wait(PATIENCE) == 0
    print("received")
"""

NETWORK = "ip link set lo up multicast on && ip route add 224.0.0.0/4 dev lo && exec"


def test_messages_go_from_one_program_to_another(tmp_path: Any) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("PATIENCE", str(PATIENCE)))
    line = f"'{sys.executable}' -X dev -W error '{program}'"
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    command = ["unshare", *user, "--net", "sh", "-c", f"{NETWORK} {line}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * PATIENCE)
    assert (done.stdout, done.returncode) == ("received\n", 0), done.stderr
