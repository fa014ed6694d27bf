"""Prints `TYPE FINGERPRINT` for every type in a directory that LCM's generator has filled with Python."""

import importlib
import pathlib
import sys


def main():
    """Imports every module, and asks its class."""
    root = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(root))
    for path in sorted(root.rglob("*.py")):
        if path.name == "__init__.py":
            continue
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        module = importlib.import_module(name)
        print(name, f"{getattr(module, path.stem)._get_hash_recursive([]):016x}")


main()
