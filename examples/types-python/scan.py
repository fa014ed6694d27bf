"""Makes a laser scan, encodes it, decodes it, and reads it with NumPy."""

import numpy as np
from robot import scan_t

scan = scan_t(utime=1_000_000, state=scan_t.ON, pose=[1.0, 2.0, 0.5])
scan.ranges = np.linspace(0.5, 4.0, 180)
scan.set_sizes()

data = scan.encode()
print(f"{len(data)} bytes, fingerprint {data[:8].hex()}")

read = scan_t.decode(data)
print(f"{read.n} ranges of {read.ranges.dtype}, the nearest at {read.ranges.min()} m")

try:
    scan_t.decode(data[:100])
except ValueError as error:
    print(error)
