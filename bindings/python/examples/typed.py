"""Publishes and receives messages of a type that it reads at run time: python typed.py"""

import saltus

pose_t = saltus.types.load("struct pose_t { int64_t utime; double position[3]; }").pose_t

domain = saltus.Domain("mem://")
subscriber = domain.subscribe("POSE", type=pose_t)
publisher = domain.publisher("POSE", type=pose_t)

publisher.publish(pose_t(utime=1, position=[1.0, 2.0, 0.5]))
publisher.publish({"utime": 2})

for _ in range(2):
    message = subscriber.receive(timeout=10)
    if message is not None:
        print(message.value.utime, *message.value.position)
