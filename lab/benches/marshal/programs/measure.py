"""Generated Python, LCM's or ours: the loop, the clock, the protocol (see measure.h).

    measure.py DIRECTORY      the classes are in package `bench` on PYTHONPATH

Encoding gives new `bytes`, and decoding a new object: there is no used storage in either.
"""

import gc
import importlib
import pathlib
import sys
import time

CASES = {"scan": "laser_t", "joints": "joints_t", "image": "image_t", "cloud": "cloud_t", "path": "path_t"}


def encode(message, _, count):
    """Encodes, again and again."""
    work = message.encode
    start = time.perf_counter_ns()
    for _ in range(count):
        work()
    return time.perf_counter_ns() - start


def decode(message, data, count):
    """Decodes, again and again."""
    work = type(message).decode
    start = time.perf_counter_ns()
    for _ in range(count):
        work(data)
    return time.perf_counter_ns() - start


def copy(_, data, count):
    """Copies the bytes, again and again."""
    work = bytearray
    start = time.perf_counter_ns()
    for _ in range(count):
        work(data)
    return time.perf_counter_ns() - start


OPERATIONS = {"encode": encode, "decode": decode, "copy": copy}


def main():
    """Answers lines."""
    directory = pathlib.Path(sys.argv[1])
    cases = {}
    for name, short in CASES.items():
        data = (directory / name).read_bytes()
        cls = getattr(importlib.import_module(f"bench.{short}"), short)
        cases[name] = (cls.decode(data), data)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        operation, name, *count = line.split()
        if operation == "verify":
            print(cases[name][0].encode().hex(), flush=True)
        elif operation in OPERATIONS:
            print(OPERATIONS[operation](*cases[name], int(count[0])), flush=True)
        else:
            print("-", flush=True)


main()
