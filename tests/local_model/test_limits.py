"""What comes of the limits of a real model server: no answer, and the reason. Whole answers: `nightly.py`."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.local_model.asking import MOST, REPORT, judged, relay, small_model


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with small_model() as found:
        yield found


def test_a_question_that_is_longer_than_the_context_is_not_judged(tmp_path: Path, address: str) -> None:
    verdict, why = judged(tmp_path, address, REPORT + "It happens again and again. " * 4000)
    assert verdict == "UNAVAILABLE" and "too long" in why


def test_an_answer_that_is_cut_off_is_none(tmp_path: Path, address: str) -> None:
    with relay(address, [], max_tokens=3, max_completion_tokens=3) as way:
        verdict, why = judged(tmp_path, way)
    assert verdict == "UNAVAILABLE" and why


def test_at_the_time_limit_it_ends_and_the_server_goes_on(tmp_path: Path, address: str) -> None:
    began = time.monotonic()
    verdict, why = judged(tmp_path, address, MODEL_TIMEOUT="0.5")
    assert verdict == "UNAVAILABLE" and "0.5 seconds" in why
    assert time.monotonic() - began < MOST
    assert requests.get(f"{address}/health", timeout=MOST).ok
