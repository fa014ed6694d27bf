"""Writes a log and reads it: python log.py FILE.mcap"""

import sys

import saltus

if len(sys.argv) != 2:
    sys.exit("usage: python log.py FILE.mcap")
pose_t = saltus.types.load("struct pose_t { int64_t utime; double x; }").pose_t

with saltus.log.create(sys.argv[1]) as writer:
    for i in range(100):
        time = 1_700_000_000_000_000_000 + i * 10_000_000
        writer.write("POSE", pose_t(utime=time // 1000, x=i / 100), log_time_ns=time)

with saltus.log.open(sys.argv[1]) as log:
    log.seek_time(1_700_000_000_500_000_000)
    event = log[log.position]
    print(f"{len(log)} events; after half a second x is {event.value().x}")
