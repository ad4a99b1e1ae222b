"""Test files whose code is made once: it counts for the very same text alone, and nobody can put another there."""

import hashlib
import json
import marshal
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from bot.sandbox.protocol import Outcome, Status
from bot.verification.testing import rewritten, run
from bot.verification.testing.run import run_suite
from bot.verification.values import Program, Suite, TestRun
from tests.support.sandbox import BUBBLEWRAP, StandIn, Watched

PATH = "tests/test_price.py"
TEST = b"from shop import price\ndef test_price(): assert price() == 1\ndef test_other(): assert price() == 2\n"
LARGE = TEST + b"#" * rewritten.LEAST
PASSES = b"def test_price(): pass\n"
SHOP = "def price(): return 1\n"
# Reaches for the code that was made, by each way in which a function can be changed.
REACHES = """
import _pytest.assertion.rewrite as r
paths, texts, codes = zip(*r._read_pyc.__defaults__[1])
r._read_pyc.__defaults__ = None, tuple(zip(paths, texts, [b""] * len(codes)))
"""


def ran(tree: Path, executor: Watched, **files: str) -> TestRun:
    for path, text in {PATH: LARGE.decode(), "shop.py": SHOP, "tests/conftest.py": "", **files}.items():
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text(text)
    suite = Suite(watched=frozenset({PATH, "tests/conftest.py"}))
    return replace(run_suite(executor, Program(tree, {}), suite), seconds=0.0, limits_enforced=())


def told(run: TestRun) -> dict[str, str]:
    return {each.name.rpartition("::")[2]: each.message for each in run.results}


def made_here(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    """Code that says something else, as that of a file with this text."""
    code = b64encode(marshal.dumps(compile(PASSES, f"/work/{PATH}", "exec"))).decode()
    found = [(PATH, hashlib.sha256(text).hexdigest(), code)]
    monkeypatch.setattr(run, "rewritten", lambda *_: found)


def test_a_file_is_read_once_and_its_tests_end_as_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Watched(BUBBLEWRAP)
    runs = [ran(tmp_path, executor) for _ in range(2)]
    assert len(executor.jobs) == 3
    assert {path for path, *_ in json.loads(executor.jobs[2].stdin)["task"]["rewritten"]} == {PATH}
    monkeypatch.setattr(rewritten, "LEAST", 10**9)
    monkeypatch.setattr(rewritten, "_KNOWN", {})
    assert [told(each) for each in runs] == [told(ran(tmp_path, Watched(BUBBLEWRAP)))] * 2
    assert "assert 1 == 2" in told(runs[0])["test_other"]


@pytest.mark.parametrize(("text", "files", "names"), [
    (LARGE, {}, {"test_price"}),
    (TEST, {}, {"test_price", "test_other"}),
    (LARGE, {"pytest.ini": "[pytest]\nenable_assertion_pass_hook = true\n"}, {"test_price", "test_other"}),
])  # fmt: skip
def test_it_counts_for_that_text_alone_and_where_pytest_makes_the_same(
    text: bytes, files: dict[str, str], names: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_here(monkeypatch, text)
    assert told(ran(tmp_path, Watched(BUBBLEWRAP), **files)).keys() == names


def test_nobody_puts_another_in_its_place(tmp_path: Path) -> None:
    run = ran(tmp_path, Watched(BUBBLEWRAP), **{"shop.py": SHOP + REACHES})
    assert run.replaced == ("_pytest.assertion.rewrite._read_pyc",)


def test_what_warns_as_it_is_read_is_read_in_each_run(tmp_path: Path) -> None:
    executor = Watched(BUBBLEWRAP)
    text = LARGE.decode() + "\ndef test_pair(): assert (price(), 'a text')\n"
    ran(tmp_path, executor, **{PATH: text, "pytest.ini": "[pytest]\nfilterwarnings = error\n"})
    assert json.loads(executor.jobs[-1].stdin)["task"]["rewritten"] == []


@pytest.mark.parametrize("stdout", [b"", b"[1]", b'{"tests/test_price.py": 1}', b"\xff"])
def test_without_an_answer_nothing_is_made(stdout: bytes, tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_bytes(LARGE)
    executor = StandIn(Outcome(Status.EXITED, 0, stdout, b"", {}, 0.1, ()), name=repr(stdout))
    given = executor, Program(tmp_path, {}), ["test_a.py"], Suite().environment, ("python3", "")
    assert rewritten.rewritten(*given) == rewritten.rewritten(*given) == []
    assert len(executor.jobs) == 1
