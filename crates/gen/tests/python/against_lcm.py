"""Generated Python of both styles against that of LCM's own generator: same types, values, bytes.

Arguments: directories of LCM's classes, of ours in LCM's style, of ours in modern style.
"""

import io
import sys

import numpy as np

from samples import kinds, load, messages, plain

oracle, like, modern = (load(d) for d in sys.argv[1:4])
assert sorted(oracle) == sorted(like) == sorted(modern), (sorted(oracle), sorted(like))


def same_interface(name):
    theirs, ours = oracle[name], like[name]
    for table in ("__slots__", "__typenames__", "__dimensions__"):
        assert getattr(theirs, table) == getattr(ours, table), (name, table)
    assert theirs().get_hash() == ours().get_hash() == modern[name].FINGERPRINT, name
    assert theirs._get_packed_fingerprint() == ours._get_packed_fingerprint(), name
    assert theirs._get_hash_recursive([]) == ours._get_hash_recursive([]), name
    assert theirs._get_hash_recursive([theirs]) == ours._get_hash_recursive([ours]) == 0
    known = (ours.NAME, ours.FINGERPRINT, ours.SCHEMA)
    kin = modern[name]
    assert known == (kin.NAME, kin.FINGERPRINT, kin.SCHEMA) and kin.NAME == name, name
    constants = {n: v for n, v in vars(theirs).items() if n.isupper()}
    for constant, value in constants.items():
        assert getattr(ours, constant) == getattr(modern[name], constant) == value
    missing = set(vars(theirs)) - set(vars(ours)) - {"__weakref__"}
    assert not missing, (name, missing)
    # A fresh message looks the same, but for byte arrays of fixed size, which LCM leaves too short.
    if "byte" not in theirs.__typenames__ and name != "cover.nest_t":
        assert plain(theirs()) == plain(ours()), name
        assert kinds(theirs()) == kinds(ours()), name
    ours.decode(ours().encode())
    modern[name].decode(modern[name]().encode())


def round_trips(name, message):
    data = message.encode()
    read = oracle[name].decode(data)
    again = like[name].decode(data)
    assert plain(again) == plain(read), name
    assert kinds(again) == kinds(read), name
    assert again.encode() == data, name
    # From a file, which is left behind the message; and with bytes behind it.
    file = io.BytesIO(b"before" + data + b"after")
    file.seek(6)
    assert plain(like[name].decode(file)) == plain(read)
    assert file.read() == b"after"
    assert like[name].decode(data + b"more").encode() == data

    new = modern[name].decode(data)
    assert new.encode() == data, name
    assert plain(new) == plain(read), name
    assert new == modern[name].decode(memoryview(data + b"more")), name
    assert new == modern[name].decode(np.frombuffer(data, np.uint8)), name
    assert new == modern[name].decode(bytearray(data)), name
    room = bytearray(len(data) + 3)
    assert new.encode_into(room) == len(data) and room[: len(data)] == data
    new.set_sizes()
    # The width of rows cannot be told where there are none.
    if name not in ("cover.grids_t", "cover.behind_t", "cover.nothing_t"):
        assert new.encode() == data, name
    assert type(new).__name__ in repr(new)


count = 0
for name in oracle:
    if hasattr(oracle[name], "__typenames__"):
        same_interface(name)
for name, message in messages(oracle):
    round_trips(name, message)
    count += 1
print(f"{count} messages of {len(oracle)} types")
assert count >= 300
