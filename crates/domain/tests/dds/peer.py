"""CycloneDDS as the other side: it does what each line of its input says, and answers each with a line.

    write TOPIC TYPE QOS    makes a writer, and waits until somebody reads
    read TOPIC TYPE QOS     makes a reader
    send TOPIC SIZE SEED    writes a message of bytes, or an Imu with SEED as its time
    take TOPIC              waits for a message: `SIZE SEED`, or `damaged`; `nothing` when none comes
"""

import sys
import time
from dataclasses import dataclass, field

import numpy as np
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, float64, int32, sequence, uint8, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

PATIENCE = 20  # seconds


@final
@dataclass
class Bytes(IdlStruct, typename="saltus.Bytes"):
    """What travels where nobody told the type."""

    data: sequence[uint8] = field(default_factory=list)


@final
@dataclass
class RosBytes(IdlStruct, typename="saltus_msgs.msg.dds_.Bytes_"):
    """The same by the names of ROS 2."""

    data: sequence[uint8] = field(default_factory=list)


@final
@dataclass
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    """ROS 2's, as the following are."""

    sec: int32 = 0
    nanosec: uint32 = 0


@final
@dataclass
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    """Where and when."""

    stamp: Time = field(default_factory=Time)
    frame_id: str = ""


@final
@dataclass
class Quaternion(IdlStruct, typename="geometry_msgs.msg.dds_.Quaternion_"):
    """A rotation."""

    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0
    w: float64 = 0.0


@final
@dataclass
class Vector3(IdlStruct, typename="geometry_msgs.msg.dds_.Vector3_"):
    """A vector."""

    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0


@final
@dataclass
class Imu(IdlStruct, typename="sensor_msgs.msg.dds_.Imu_"):
    """What an inertial measurement unit says."""

    header: Header = field(default_factory=Header)
    orientation: Quaternion = field(default_factory=Quaternion)
    orientation_covariance: array[float64, 9] = field(default_factory=lambda: [0.0] * 9)
    angular_velocity: Vector3 = field(default_factory=Vector3)
    angular_velocity_covariance: array[float64, 9] = field(default_factory=lambda: [0.0] * 9)
    linear_acceleration: Vector3 = field(default_factory=Vector3)
    linear_acceleration_covariance: array[float64, 9] = field(default_factory=lambda: [0.0] * 9)


TYPES = {"bytes": Bytes, "rosbytes": RosBytes, "imu": Imu}
QOS = {
    "reliable": Qos(Policy.Reliability.Reliable(duration(seconds=10)), Policy.History.KeepLast(100)),
    "best_effort": Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(100)),
}


def made(size: int, seed: int) -> bytes:
    """The bytes that the other side makes too."""
    i = np.arange(size, dtype=np.uint64)
    return (i * 31 + (i >> 9) + seed).astype(np.uint8).tobytes()


def imu(seed: int) -> Imu:
    """A message whose every field is not that of another."""
    x = float(seed)
    return Imu(
        Header(Time(seed, 5), "imu_link"),
        Quaternion(x + 1, x + 2, x + 3, x + 4),
        [x + 10 + i for i in range(9)],
        Vector3(x + 5, x + 6, x + 7),
        [x + 20 + i for i in range(9)],
        Vector3(-x, 0.5, 9.81),
        [x + 30 + i for i in range(9)],
    )


def told(message) -> str:
    """What a message is, in a line."""
    if isinstance(message, Imu):
        seed = message.header.stamp.sec
        return f"0 {seed}" if message == imu(seed) else "damaged"
    data = bytes(message.data)
    seed = data[0] if data else 0
    return f"{len(data)} {seed}" if data == made(len(data), seed) else "damaged"


class Peer:
    """All writers and readers."""

    def __init__(self) -> None:
        self.participant = DomainParticipant(int(sys.argv[1]))
        self.writers: dict[str, tuple[type, DataWriter]] = {}
        self.readers: dict[str, DataReader] = {}

    def write(self, topic: str, kind: str, qos: str) -> str:
        of = TYPES[kind]
        writer = DataWriter(self.participant, Topic(self.participant, topic, of), qos=QOS[qos])
        self.writers[topic] = (of, writer)
        end = time.monotonic() + PATIENCE
        while not writer.get_matched_subscriptions():
            if time.monotonic() > end:
                return "nobody reads"
            time.sleep(0.01)
        return "ok"

    def read(self, topic: str, kind: str, qos: str) -> str:
        self.readers[topic] = DataReader(self.participant, Topic(self.participant, topic, TYPES[kind]), qos=QOS[qos])
        return "ok"

    def send(self, topic: str, size: str, seed: str) -> str:
        of, writer = self.writers[topic]
        writer.write(imu(int(seed)) if of is Imu else of(made(int(size), int(seed))))
        return "ok"

    def take(self, topic: str) -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for message in self.readers[topic].take(1):
                return told(message)
            time.sleep(0.001)
        return "nothing"


def main() -> None:
    """Does as it is told until nobody tells any more."""
    peer = Peer()
    print("ok", flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        print(getattr(peer, command)(*words), flush=True)


if __name__ == "__main__":
    main()
