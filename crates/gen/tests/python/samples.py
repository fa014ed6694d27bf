"""Random messages of LCM's own generated classes, and what tests do with them."""

import importlib
import pkgutil
import random
import sys

LIMITS = {"int8_t": 8, "int16_t": 16, "int32_t": 32, "int64_t": 64}
NAMES = ["", "a", "hé", "two words", "x" * 40]


def load(directory):
    """All classes below a directory by their full names, out of the way of others of those names."""
    before = set(sys.modules)
    sys.path.insert(0, directory)
    classes = {}
    try:
        for found in pkgutil.walk_packages([directory]):
            short = found.name.rpartition(".")[2]
            if found.ispkg or short.startswith("_"):
                continue
            module = importlib.import_module(found.name)
            classes[found.name] = getattr(module, short)
    finally:
        sys.path.remove(directory)
        for name in set(sys.modules) - before:
            top = name.partition(".")[0]
            if any(c.partition(".")[0] == top for c in classes) or "_saltus" in name:
                del sys.modules[name]
    return classes


def fill(rng, classes, name, depth=0):
    """A message with random values whose sizes agree."""
    message = classes[name]()
    for field, kind, dims in zip(
        message.__slots__, message.__typenames__, message.__dimensions__
    ):
        sized = any(d and field in d for d in message.__dimensions__ if d is not None)
        if sized:
            setattr(message, field, rng.choice([0, 1, 2, 3] if depth < 2 else [0]))
            continue
        sizes = [d if isinstance(d, int) else getattr(message, d) for d in dims or []]
        setattr(message, field, values(rng, classes, kind, sizes, depth))
    return message


def values(rng, classes, kind, sizes, depth):
    if sizes and kind == "byte" and len(sizes) == 1:
        return bytes(rng.randrange(256) for _ in range(sizes[0]))
    if sizes:
        return [values(rng, classes, kind, sizes[1:], depth) for _ in range(sizes[0])]
    if kind in LIMITS:
        top = 1 << (LIMITS[kind] - 1)
        return rng.choice([0, -1, top - 1, -top, rng.randrange(-top, top)])
    if kind == "byte":
        return rng.randrange(256)
    if kind == "float":
        return rng.choice([0.0, -0.5, 3.0e38, rng.randrange(1 << 20) / 64.0])
    if kind == "double":
        return rng.choice([0.0, -1e-300, 1.7e308, rng.random()])
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "string":
        return rng.choice(NAMES)
    return fill(rng, classes, kind, depth + 1)


def messages(classes, each=25):
    """(name, message) for every class, always the same."""
    rng = random.Random(20)
    for name in sorted(classes):
        if hasattr(classes[name], "__typenames__"):
            for _ in range(each):
                yield name, fill(rng, classes, name)


def plain(value):
    """Any message, array or value as built-in lists and tuples, to compare."""
    if hasattr(value, "__slots__") and not isinstance(value, (str, bytes)):
        if type(value).__module__ != "numpy":
            return [plain(getattr(value, name)) for name in type(value).__slots__]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (list, tuple, bytes)):
        return [plain(v) for v in value]
    return value


def kinds(value):
    """The types of a message all the way down."""
    if hasattr(value, "__slots__") and not isinstance(value, (str, bytes)):
        return [type(value).__name__] + [
            kinds(getattr(value, name)) for name in type(value).__slots__
        ]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__] + [kinds(v) for v in value]
    return type(value).__name__
