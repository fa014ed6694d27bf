"""Compares an LCM event log with the CARMEN log that it was made of, using LCM's own Python and code generator.

usage: read_lcm_log.py TYPES.lcm CARMEN.log[.gz] EVENTS.lcmlog DIR
"""

import gzip
import math
import os
import struct
import subprocess
import sys

import lcm

types, source, events, directory = sys.argv[1:]
os.makedirs(directory)
lcm_gen = os.path.join(os.path.dirname(sys.executable), "lcm-gen")
subprocess.run([lcm_gen, "-p", "--ppath", directory, types], check=True, stdout=subprocess.DEVNULL)
sys.path.insert(0, directory)
import carmen  # noqa: E402  (made a moment ago)


def number_as_float(word):
    """What a 32-bit float makes of it."""
    return struct.unpack("f", struct.pack("f", float(word)))[0]


def micros(word):
    return round(float(word) * 1e6)


scans, odometry = [], []
with gzip.open(source, "rt") as text:
    for line in text:
        words = line.split()
        if words and words[0] == "FLASER":
            n = int(words[1])
            pose = tuple(float(word) for word in words[2 + n : 5 + n])
            scans.append((micros(words[8 + n]), micros(words[10 + n]), words[2 : 2 + n], pose))
        elif words and words[0] == "ODOM":
            odometry.append((micros(words[7]), micros(words[9]), tuple(float(word) for word in words[1:7])))

lasers, poses, wheels = [], [], []
for number, event in enumerate(lcm.EventLog(events, "r")):
    assert event.eventnum == number, (event.eventnum, number)
    if event.channel == "LASER_FRONT":
        lasers.append((event.timestamp, carmen.laser_t.decode(event.data)))
    elif event.channel == "LASER_FRONT_POSE":
        poses.append((event.timestamp, carmen.pose_t.decode(event.data)))
    elif event.channel == "ODOMETRY":
        wheels.append((event.timestamp, carmen.odometry_t.decode(event.data)))
    else:
        raise AssertionError(event.channel)

assert len(lasers) == len(poses) == len(scans), (len(lasers), len(poses), len(scans))
assert len(wheels) == len(odometry), (len(wheels), len(odometry))
for (utime, logged, ranges, pose), (time, laser), (pose_time, at) in zip(scans, lasers, poses):
    assert (time, laser.utime, pose_time, at.utime) == (logged, utime, logged, utime)
    assert laser.ranges == tuple(number_as_float(word) for word in ranges)
    assert (laser.nranges, laser.nintensities) == (len(ranges), 0)
    assert abs(laser.rad0 + math.pi / 2) < 1e-6
    assert abs(laser.radstep - math.pi / len(ranges)) < 1e-8
    assert (at.x, at.y, at.theta) == pose
for (utime, logged, numbers), (time, wheel) in zip(odometry, wheels):
    assert (time, wheel.utime) == (logged, utime)
    assert (wheel.x, wheel.y, wheel.theta, wheel.speed, wheel.turn_rate, wheel.acceleration) == numbers
print(f"{len(lasers)} scans of {lasers[0][1].nranges} ranges, {len(wheels)} odometry: the same")
