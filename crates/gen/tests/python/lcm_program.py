"""A program as users of LCM write them: nothing in it knows of us."""

import lcm
from exlcm import example_t, node_t

received = []


def my_handler(channel, data):
    msg = example_t.decode(data)
    received.append((channel, msg.timestamp, msg.ranges, msg.position))


lc = lcm.LCM("memq://")
subscription = lc.subscribe("EXAMPLE", my_handler)

msg = example_t()
msg.timestamp = 42
msg.position = (1, 2, 3)
msg.orientation = (1, 0, 0, 0)
msg.ranges = range(15)
msg.num_ranges = len(msg.ranges)
msg.name = "example string"
msg.enabled = True
lc.publish("EXAMPLE", msg.encode())
lc.handle()
lc.unsubscribe(subscription)

assert received == [("EXAMPLE", 42, tuple(range(15)), (1.0, 2.0, 3.0))], received

root = node_t()
root.num_children = 2
root.children = [node_t(), node_t()]
assert len(node_t.decode(root.encode()).children) == 2
assert msg.get_hash() == 0x37553C5361F75516

try:
    node_t.decode(msg.encode())
    raise SystemExit("decoded another type")
except ValueError as error:
    assert str(error) == "Decode error"
