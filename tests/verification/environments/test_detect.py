"""How a program is set up and tested where the policy is silent."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.verification.environments.detect import detect
from bot.verification.environments.python import grouped
from bot.verification.environments.ways import Detected
from bot.verification.values import Program
from tests.support.cases import cases


def of(files: Mapping[str, str | bytes]) -> Program:
    return Program(None, {name: text if isinstance(text, bytes) else text.encode() for name, text in files.items()})


PROJECT = '[project]\nname = "widget"\nversion = "1"\n'

CASES: list[tuple[str, dict[str, str], tuple[str, ...], str, str]] = [
    # what, files, setup, test, why
    (
        "nothing",
        {"README.md": ""},
        (),
        "",
        "no way to run tests was detected",
    ),
    (
        "a file",
        {"solution.py": ""},
        (),
        "pytest",
        "pytest, detected from Python files",
    ),
    (
        "only settings",
        {"pyproject.toml": "[tool.ruff]\n"},
        (),
        "pytest",
        "pytest, detected from pyproject.toml",
    ),
    (
        "project",
        {"pyproject.toml": PROJECT},
        ("pip install -e . pytest",),
        "pytest",
        "pytest, detected from pyproject.toml",
    ),
    (
        "extras",
        {"pyproject.toml": PROJECT + "[project.optional-dependencies]\ndev = []\ntests = []\nTest = []\ndocs = []\n"},
        ("pip install -e '.[tests,Test]' pytest",),
        "pytest",
        "pytest, detected from pyproject.toml",
    ),
    (
        "development extras",
        {"pyproject.toml": PROJECT + "[project.optional-dependencies]\ndev = []\ndocs = []\n"},
        ("pip install -e '.[dev]' pytest",),
        "pytest",
        "pytest, detected from pyproject.toml",
    ),
    (
        "groups",
        {
            "pyproject.toml": PROJECT
            + '[dependency-groups]\ntests = ["freezegun", "x>=1; python_version > \'3\'", {include-group = "base"}]\n'
            + 'base = ["pytest-cov", {include-group = "tests"}, {include-group = "nothing"}, 7]\ndocs = ["sphinx"]\n'
        },
        ("pip install -e . freezegun 'x>=1; python_version > '\"'\"'3'\"'\"'' pytest-cov pytest",),
        "pytest",
        "pytest, detected from pyproject.toml",
    ),
    (
        "poetry",
        {
            "pyproject.toml": '[tool.poetry]\nname = "a"\n[tool.poetry.group.test.dependencies]\nresponses = "^0.2"\n'
            '[tool.poetry.dev-dependencies]\npython = "*"\nmock = "*"\n'
        },
        ("pip install -e . responses mock pytest",),
        "pytest",
        "pytest, detected from pyproject.toml",
    ),
    (
        "requirements",
        {"requirements.txt": "", "requirements-dev.txt": "", "requirements/test.txt": ""},
        ("pip install -r requirements.txt -r requirements/test.txt pytest",),
        "pytest",
        "pytest, detected from requirements.txt, requirements/test.txt",
    ),
    (
        "setup.py and tox",
        {"setup.py": "", "tox.ini": "[testenv]\ndeps =\n  mock  # for fakes\n  py38: old\n  -r{toxinidir}/x\n  a>=1\n"},
        ("pip install -e . mock 'a>=1' pytest",),
        "pytest",
        "pytest, detected from setup.py, tox.ini",
    ),
    (
        "nox",
        {
            "pyproject.toml": PROJECT + '[dependency-groups]\nslow = ["d"]\n',
            "x.txt": "",
            "noxfile.py": "import nox\n\n@nox.session\ndef unit_tests(session):\n"
            '    session.install("mock", "-r", "x.txt", "-rgone.txt", "-c", "c.txt", "-e.[cli, web]", ODD)\n'
            '    session.install("-U", "a>=1", "--group=slow", "--index-url=i", "-f", "wheels", "d/b.whl", "-q", ".")\n'
            '@nox.session\ndef docs(session):\n    session.install("sphinx")\n',
        },
        ("pip install -e '.[cli,web]' -r x.txt mock 'a>=1' d pytest",),
        "pytest",
        "pytest, detected from pyproject.toml, x.txt",
    ),
    (
        "what no index has",
        {
            "setup.py": "",
            "tox.ini": "[testenv]\ndeps =\n  git+https://git.example/x/b\n  c[d] @ git+ssh://git@git.example/x/c@main\n"
            "  https://files.example/e-1.0-py3-none-any.whl\n  git+https://me@git.example/f\n  g>=1\n",
        },
        ("pip install -e . 'c[d]' 'g>=1' pytest",),
        "pytest",
        "pytest, detected from setup.py, tox.ini",
    ),
    (
        "setup.cfg",
        {"setup.cfg": "[metadata]\nname = a\n[options.extras_require]\ntest = mock\n"},
        ("pip install -e '.[test]' pytest",),
        "pytest",
        "pytest, detected from setup.cfg",
    ),
    (
        "a version from git",
        {"pyproject.toml": PROJECT.replace("widget", "my-Widget.x") + '[build-system]\nrequires = ["hatch-vcs"]\n'},
        (
            "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_MY_WIDGET_X=999.0 SETUPTOOLS_SCM_PRETEND_VERSION=999.0 "
            "PDM_BUILD_SCM_VERSION=999.0 pip install -e . pytest",
        ),
        "pytest",
        "pytest, detected from pyproject.toml",
    ),
    (
        "options among requirements",
        {
            "pyproject.toml": PROJECT
            + '[dependency-groups]\ntest = ["--index-url=http://evil.example", " -r x", "ok; rm -rf /"]\n'
        },
        ("pip install -e . 'ok; rm -rf /' pytest",),
        "pytest",
        "pytest, detected from pyproject.toml",
    ),
    (
        "npm",
        {
            "package.json": '{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1"}}',
            "package-lock.json": "{}",
        },
        ("npm ci",),
        "npm test",
        "npm test, detected from package.json",
    ),
    (
        "npm without lock",
        {"package.json": '{"scripts": {"test": "mocha"}, "dependencies": {"a": "1"}}'},
        ("npm install --no-package-lock",),
        "npm test",
        "npm test, detected from package.json",
    ),
    *(
        (
            name,
            {"package.json": '{"scripts": {"test": "x"}, "dependencies": {"a": "1"}}', name: text},
            (line,),
            "npm test",
            "npm test, detected from package.json",
        )
        for name, text, line in (
            ("pnpm-lock.yaml", "", "npx --yes pnpm@9 install --frozen-lockfile"),
            ("yarn.lock", "# yarn lockfile v1\n", "npx --yes yarn@1 install --frozen-lockfile"),
            (
                "yarn.lock",
                "__metadata:\n",
                "YARN_NODE_LINKER=node-modules npx --yes --package=@yarnpkg/cli-dist yarn install --immutable",
            ),
        )
    ),
    (
        "bare npm",
        {"package.json": '{"scripts": {"test": "node --test"}}'},
        (),
        "npm test",
        "npm test, detected from package.json",
    ),
    (
        "npm without tests",
        {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
        (),
        "",
        "no way to run tests was detected",
    ),
    (
        "go",
        {"go.mod": "module a\n"},
        ("go mod download",),
        "go test ./...",
        "go test ./..., detected from go.mod",
    ),
    (
        "rust",
        {"Cargo.toml": ""},
        ("cargo fetch",),
        "cargo test",
        "cargo test, detected from Cargo.toml",
    ),
    (
        "locked rust",
        {"Cargo.toml": "", "Cargo.lock": ""},
        ("cargo fetch --locked",),
        "cargo test",
        "cargo test, detected from Cargo.toml",
    ),
    (
        "mixed",
        {"pyproject.toml": PROJECT, "package.json": '{"scripts": {"test": "mocha"}}', "Cargo.toml": ""},
        ("pip install -e . pytest",),
        "pytest",
        "pytest, detected from pyproject.toml (there is also npm test, cargo test)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("what", "files", "setup", "test", "why"), CASES, ids=[case[0] for case in CASES])
def test_what_manifests_say(what: str, files: dict[str, str], setup: tuple[str, ...], test: str, why: str) -> None:
    found = detect(of(files))
    assert (found.setup, found.test, found.why) == (setup, test, why)


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


@cases
def test_without_what_tests_alone_need(files: dict[str, str], less: tuple[str, ...]) -> None:
    assert detect(of(files)).less == less


class Read(dict[str, object]):
    """Counts how often a group is looked at."""

    looks = 0

    def get(self, name: str, default: object = None) -> object:
        self.looks += 1
        return super().get(name, default)


def test_a_noxfile_that_does_not_parse_names_nothing() -> None:
    files = {"setup.py": b"", "noxfile.py": b"def tests(session:"}
    assert detect(Program(None, files)).setup == ("pip install -e . pytest",)


def test_groups_that_include_each_other_are_read_once_each() -> None:
    """Work grows with what is written: 4 times as many includes, 4 times as many looks, not all paths through them."""

    def looks(count: int) -> int:
        names = [f"g{number}" for number in range(count)]
        groups = Read({name: [f"of-{name}", *({"include-group": other} for other in names)] for name in names})
        assert list(grouped(groups, ["g0"])) == [f"of-{name}" for name in names]
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
    assert detect(Program(tree, {})) == Detected((), "pytest", "pytest, detected from Python files", True)
