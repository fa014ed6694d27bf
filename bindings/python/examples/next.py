"""Receives every message, as a logger does: python next.py [URL] [COUNT]"""

import sys

import saltus

url = sys.argv[1] if len(sys.argv) > 1 else None  # None: SALTUS_DOMAIN, or else shm://
count = int(sys.argv[2]) if len(sys.argv) > 2 else 100

with saltus.Domain(url).subscribe("imu", depth=1000, start="oldest") as subscriber:
    for message in subscriber:
        print(message.sequence, bytes(message).decode(), "missed:", message.missed)
        count -= 1
        if count == 0:
            break
