"""The package is typed, its examples pass mypy --strict, and its documentation is true."""

import doctest
import inspect
import subprocess
import sys
import types

import pytest
from conftest import ROOT

import saltus
import saltus.lcm


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is known of NumPy and others is found out once."""
    return f"--cache-dir={tmp_path_factory.mktemp('mypy')}"


@pytest.mark.parametrize("what", [["python/saltus"], ["examples", "tests"]])
def test_the_package_and_who_uses_it_are_clean_under_mypy_strict(
    what: list[str], cache: str
) -> None:
    line = [sys.executable, "-m", "mypy", "--strict", cache, *what]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_says_what_the_native_half_has() -> None:
    line = [
        sys.executable,
        "-m",
        "mypy.stubtest",
        "saltus._saltus",
        "--ignore-missing-stub",
    ]
    done = subprocess.run(line, cwd=ROOT / "tests", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "module", [saltus, saltus.types, saltus.log, saltus.lcm, saltus._dispatcher]
)
def test_the_examples_in_docstrings_are_true(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert found.attempted > 0 and found.failed == 0


def test_everything_public_is_documented() -> None:
    documented = 0
    for module in (saltus, saltus.types, saltus.log, saltus.lcm):
        assert module.__doc__, module
        for name, thing in vars(module).items():
            ours = str(getattr(thing, "__module__", "")).startswith("saltus")
            native = isinstance(thing, types.BuiltinFunctionType)
            if name.startswith("_") or not (ours or native):
                continue
            assert thing.__doc__, name
            documented += 1
            for member in vars(thing) if inspect.isclass(thing) else []:
                value = getattr(thing, member)
                described = callable(value) or inspect.isdatadescriptor(value)
                if not member.startswith("_") and described:
                    assert value.__doc__, f"{name}.{member}"
                    documented += 1
    assert documented > 120


def callables() -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for module in (saltus, saltus.types, saltus.log):
        for name, thing in vars(module).items():
            if name.startswith("_") or not str(getattr(thing, "__module__", "")).startswith("saltus"):
                continue
            found.append((name, thing))
            members = vars(thing) if inspect.isclass(thing) else {}
            found += [(f"{name}.{m}", getattr(thing, m)) for m in members if not m.startswith("_")]
    return [(name, thing) for name, thing in found if callable(thing)]


def test_help_shows_defaults_as_they_are() -> None:
    seen = 0
    for name, thing in callables():
        try:
            signature = inspect.signature(thing)  # type: ignore[arg-type]
        except ValueError:
            continue  # a class without a constructor
        seen += 1
        for parameter in signature.parameters.values():
            assert parameter.default is not Ellipsis, f"{name}: {parameter}"
    assert seen > 50
    shown = inspect.signature(saltus.Domain.subscribe).parameters
    assert shown["start"].default == "newest" and shown["depth"].default is None


def test_numbers_of_time_say_their_unit() -> None:
    units = ("_ns", "_us", "_s")
    for name in dir(saltus.Message) + dir(saltus.View) + dir(saltus.log.Event) + dir(saltus):
        words = name.split("_")
        if any(word in words for word in ("published", "arrived", "logged", "age", "time", "now", "monotonic")):
            assert name.endswith(units), name
    for name, thing in callables():
        try:
            parameters = inspect.signature(thing).parameters  # type: ignore[arg-type]
        except ValueError:
            continue
        for parameter in parameters:
            # Seconds, as everywhere in Python.
            timed = parameter != "timeout" and any(w in parameter for w in ("time", "stamp"))
            assert not timed or parameter.endswith(units), f"{name}: {parameter}"
