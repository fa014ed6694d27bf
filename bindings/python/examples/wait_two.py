"""Waits on two channels with one thread: python wait_two.py"""

import saltus

domain = saltus.Domain("mem://")
scan, pose = domain.subscribe("scan"), domain.subscribe("pose")

domain.publisher("pose").publish(b"here")
ready = saltus.wait_any([scan, pose], timeout=10)
print("the pose" if ready is pose else "the scan" if ready is scan else "nothing")

domain.publisher("scan").publish(b"a wall")
ready = saltus.wait_any([scan], timeout=10)
print("the pose" if ready is pose else "the scan" if ready is scan else "nothing")
