"""Receives the newest message, as a controller does: python newest.py [URL] [COUNT]"""

import sys

import saltus

url = sys.argv[1] if len(sys.argv) > 1 else None  # None: SALTUS_DOMAIN, or else shm://
count = int(sys.argv[2]) if len(sys.argv) > 2 else 100

with saltus.Domain(url).subscribe("imu", newest=True) as subscriber:
    for _ in range(count):
        message = subscriber.receive(timeout=10)
        if message is None:
            sys.exit("nobody publishes")
        print(bytes(message).decode(), f"{message.age_ns() / 1e3:.0f} us old")
