"""Whole answers of a real model server: `make test-model`, too slow for `make test`.

What so small a model says is not asserted: that each answer ends in a valid verdict, or in an honest `UNAVAILABLE`, is.
"""

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.local_model.asking import REPORT, judged, relay, said, small_model


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with small_model() as found:
        yield found


def test_an_answer_by_grammar_ends_in_a_verdict_or_says_why_not(tmp_path: Path, address: str) -> None:
    asked: list[dict[str, Any]] = []
    with relay(address, asked) as way:
        judged(tmp_path, way)
    assert asked and all("response_format" in each for each in asked)  # it was not refused


def test_a_server_without_grammar_is_asked_by_a_tool(tmp_path: Path, address: str) -> None:
    asked: list[dict[str, Any]] = []
    with relay(address, asked, refuses="response_format") as way:
        judged(tmp_path, way)
    assert "response_format" in asked[0] and "tools" in asked[1]


def test_several_at_once(tmp_path: Path, address: str) -> None:
    places = [tmp_path / str(number) for number in range(3)]
    with ThreadPoolExecutor(3) as pool:
        assert len(list(pool.map(lambda place: judged(place, address), places))) == 3


def test_a_change_is_read_with_the_tools_that_the_model_is_given(tmp_path: Path, address: str) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *words], check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for text in ("def half(n):\n    return n // 2\n", "def half(n):\n    return n / 2\n"):
        (tmp_path / "halves.py").write_text(text)
        git("add", "halves.py")
        git("commit", "-q", "-m", "half(3) returns 1.5")
    asked: list[dict[str, Any]] = []
    (tmp_path / "issue.md").write_text(REPORT)
    with relay(address, asked) as way:
        where = ("--repo", str(tmp_path), "--base", "HEAD~", "--head", "HEAD", "--issue", str(tmp_path / "issue.md"))
        said(tmp_path, way, "pull", *where)
    assert any("tools" in each for each in asked)
