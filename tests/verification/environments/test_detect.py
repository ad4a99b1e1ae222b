"""How a program is set up and tested where the policy is silent."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.verification.environments.detect import detect
from bot.verification.environments.manifests import PYTHON, Detected, Way
from bot.verification.environments.python import of_groups
from bot.verification.values import Program
from tests.support.cases import cases


def of(files: Mapping[str, str | bytes]) -> Program:
    return Program(None, {name: text if isinstance(text, bytes) else text.encode() for name, text in files.items()})


PROJECT = '[project]\nname = "widget"\nversion = "1"\n'


@cases
def test_what_manifests_say(files: dict[str, str], setup: tuple[str, ...], test: str, why: str) -> None:
    found = detect(of(files))
    assert (found.setup, found.test, found.why) == (setup, test, why)


def test_a_package_manager_that_is_pinned_may_give_way_to_one_that_knows_the_lock_file() -> None:
    """This Node may be too old for it."""
    files: dict[str, str | bytes] = {"package.json": PINNED, "pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}
    by_lock = "npx --yes pnpm@10 install --frozen-lockfile"
    otherwise = f"npm_config_manage_package_manager_versions=false {by_lock}"
    found = detect(of(files))
    assert found.setup == (f"npx --yes pnpm@11.3.0 install --frozen-lockfile || {otherwise}",)
    assert found.ways == (Way.LOCKED,)
    assert detect(of({**files, "package.json": PINNED.replace("packageManager", "x")})).setup == (by_lock,)


PINNED = '{"packageManager": "pnpm@11.3.0+sha512.ab", "scripts": {"test": "x"}, "dependencies": {"a": "1"}}'


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe",
        b"[" * 100_000,
        b"a = " + b"[" * 100_000,
        b"a" + b".a" * 60_000 + b" = 1",  # minutes of tomllib
        b"[" + b"a." * 60_000 + b"a]",
        b"# a comment\n" * 30_000,
        b"[project\n",
        b"a = 1\na = 2\n",
    ],
)
def test_a_manifest_that_cannot_be_read_is_named(text: bytes) -> None:
    found = detect(of({"pyproject.toml": text, "setup.py": "", "a.py": ""}))
    assert found.setup == ("pip install -e . pytest",)
    assert found.why == "pytest, detected from pyproject.toml, setup.py; pyproject.toml cannot be read"


@pytest.mark.parametrize("text", [b"[" * 200_000, b'{"scripts": ', b"1" * 100_000, b"\0"])
def test_broken_json_is_named(text: bytes) -> None:
    assert detect(of({"package.json": text})).why == "no way to run tests was detected; package.json cannot be read"


class Read(dict[str, object]):
    """Counts how often a group is looked at."""

    looks = 0

    def get(self, name: str, default: object = None) -> object:
        self.looks += 1
        return super().get(name, default)


def test_groups_that_include_each_other_are_read_once_each() -> None:
    """Work grows with what is written: 4 times as many includes, 4 times as many looks, not all paths through them."""

    def looks(count: int) -> int:
        names = [f"g{number}" for number in range(count)]
        groups = Read({name: [f"of-{name}", *({"include-group": other} for other in names)] for name in names})
        assert list(of_groups(groups, ["g0"])) == [f"of-{name}" for name in names]
        return groups.looks

    assert (looks(10), looks(40)) == (10, 40)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["scripts", "test", "dependencies", "devDependencies", "workspaces", "x"]), inner
        )
    ),
    max_leaves=8,
)


@settings(max_examples=30, deadline=None)
@given(ODD)
def test_json_of_any_shape(data: object) -> None:
    assert isinstance(detect(of({"package.json": json.dumps(data)})), Detected)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["[project]", "[dependency-groups]", "[tool.poetry]", "[build-system]", "[project.optional-dependencies]"]
        ),
        unique=True,
    ),
    st.lists(
        st.tuples(
            st.sampled_from(["test", "tests", "dev", "name", "requires", "group", "poetry", "optional-dependencies"]),
            st.sampled_from(["1", '"a"', "[]", "{}", '["a"]', '{test = "x"}', '[{include-group = "test"}]', '[["a"]]']),
        ),
        unique_by=lambda pair: pair[0],
    ),
)  # fmt: skip
def test_toml_of_any_shape(sections: list[str], keys: list[tuple[str, str]]) -> None:
    body = "\n".join(f"{name} = {value}" for name, value in keys)
    text = "\n".join(f"{section}\n{body}" for section in sections)
    found = detect(of({"pyproject.toml": text}))
    assert found.test == "pytest"


def test_links_out_of_the_tree_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "pyproject.toml").write_text(PROJECT + "[project.optional-dependencies]\ntest = []\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "pyproject.toml").symlink_to(outside / "pyproject.toml")
    (tree / "requirements").symlink_to(outside)
    os.mkfifo(tree / "package.json")
    (tree / "go.mod").mkdir()
    assert detect(Program(tree, {})).why == "no way to run tests was detected"
    (tree / "src").mkdir()
    (tree / "src" / "a.py").touch()
    assert detect(Program(tree, {})) == Detected((), "pytest", "pytest, detected from Python files", PYTHON)
