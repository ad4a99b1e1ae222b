"""What is pinned, and what is left when the pins lead nowhere."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.environments.detect import detect
from bot.verification.environments.manifests import Manifests, Way
from bot.verification.environments.requirements import pins
from bot.verification.values import Program
from tests.support.cases import table

PROJECT = '[project]\nname = "widget"\nversion = "1"\n'


def manifests(**files: str) -> Manifests:
    return Manifests(Program(None, {name.replace("__", "."): text.encode() for name, text in files.items()}))


UV = table(str, __file__, "UV")
POETRY = table(str, __file__, "POETRY")
PDM = '[[package]]\nname = "lib"\nversion = "1"\n[[package]]\nname = "near"\nversion = "2"\npath = "./near"\n'
PIPFILE = json.dumps(
    {"default": {"lib": {"version": "==1"}, "git": {"ref": "x"}}, "develop": {"dev": {"version": "==2"}}}
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("uv.lock", UV, ("other-one==2.1",)),
        ("poetry.lock", POETRY, ("lib==1.0",)),
        ("pdm.lock", PDM, ("lib==1",)),
        ("pylock.toml", PDM.replace("package", "packages"), ("lib==1",)),
        ("Pipfile.lock", PIPFILE, ("dev==2", "lib==1")),
        ("uv.lock", '[[package]]\nname = "a --index-url=x"\nversion = "1"\n', ()),
        ("uv.lock", '[[package]]\nname = "a"\nversion = "1 --index-url=x"\n', ()),
    ],
)
def test_what_a_lock_file_pins(name: str, text: str, expected: tuple[str, ...]) -> None:
    assert pins(Manifests(Program(None, {name: text.encode()}))) == (name, expected)


@given(st.lists(st.sampled_from([*UV.splitlines(), *POETRY.splitlines(), "", "\0", 'name = "', "[["])))
def test_lines_of_any_order_give_only_requirements(lines: list[str]) -> None:
    _, found = pins(Manifests(Program(None, {"uv.lock": "\n".join(lines).encode()})))
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", pin) for pin in found)


PYTEST = "[pytest]\naddopts = --cov=a -n2 -p x\nrequired_plugins = p>=1\n"


def of(files: dict[str, str]) -> dict[Way, tuple[str, ...]]:
    detected = detect(Program(None, {name: text.encode() for name, text in files.items()}))
    return {way: detected.set_up(way) for way in detected.ways}


OPEN = "pip install -e . pytest"  # with nothing pinned


@pytest.mark.parametrize(
    ("files", "locked", "loose"),
    [
        ({"pyproject.toml": PROJECT, "uv.lock": UV}, ["pip install -c /tmp/pins.txt -e . pytest"], OPEN),
        (
            {"requirements.txt": "a==1\nb>=2  # why\n-r more.txt\n", "more.txt": "c[x]==3 ; python_version > '3'\n"},
            ["pip install -r requirements.txt pytest"],
            "pip install a 'b>=2' 'c[x]; python_version > '\"'\"'3'\"'\"'' pytest",
        ),
        (
            {"setup.py": "", "requirements/tests.txt": "a==1\n", "requirements/tests.in": "a\n"},
            ["pip install -e . -r requirements/tests.txt pytest"],
            "pip install -e . -r requirements/tests.in pytest",
        ),
        (
            {"setup.py": "", "requirements-test.txt": "a==1 --hash=sha256:0\n"},
            ["pip install -r requirements-test.txt", "pip install -e . pytest"],
            "pip install -e . a pytest",
        ),
        ({"setup.py": "", "constraints.txt": "a==1\n"}, ["pip install -c constraints.txt -e . pytest"], OPEN),
        ({"setup.py": "EXTRAS = {'tests': [], 'docs': []}\n"}, ["pip install -e '.[tests]' pytest"], ""),
        (
            {"pyproject.toml": PROJECT, "pytest.ini": PYTEST},
            ["pip install -e . 'p>=1' pytest-cov pytest-xdist pytest"],
            "",
        ),
        (
            {"requirements.txt": "-r ../../etc/passwd\n-r requirements.txt\na==1\n"},
            ["pip install -r requirements.txt pytest"],
            "pip install a pytest",
        ),
    ],
)
def test_the_ways_of_a_setup(files: dict[str, str], locked: list[str], loose: str) -> None:
    last = (loose,) if loose else tuple(locked)
    ways = {Way.LOCKED: tuple(locked), **({Way.LOOSE: last} if loose else {})}
    assert of(files) == {**ways, Way.LESS: last}  # what cannot be had is left out
