"""Publishes 100 messages per second: python publish.py [URL] [COUNT]"""

import sys
import time

import saltus

url = sys.argv[1] if len(sys.argv) > 1 else None  # None: SALTUS_DOMAIN, or else shm://
count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000

with saltus.Domain(url).publisher("imu") as publisher:
    for i in range(count):
        publisher.publish(b"tilt %.2f" % (i / 100))
        time.sleep(0.01)
