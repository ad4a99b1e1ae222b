"""Which calls of a program are written down, and when that ends."""

import sys
import threading
from types import FrameType

from bot.verification.testing.inside.recorder import MOST_NOT_COPIED, MOST_OF_FUNCTION, Recorder


def given(value: object) -> FrameType:
    return sys._getframe()


def test_a_function_whose_objects_cannot_be_copied_is_let_alone_after_many() -> None:
    recorder = Recorder()
    for _ in range(MOST_NOT_COPIED):
        recorder.note(given(threading.Lock()))
    recorder.note(given(1))
    assert recorder.told() == []


def test_one_that_cannot_be_copied_at_times_is_written_down_where_it_can() -> None:
    recorder = Recorder()
    for number in range(MOST_NOT_COPIED - 1):
        recorder.note(given(threading.Lock()))
        recorder.note(given(number % 3))
    told = recorder.told()
    assert [call for _, _, call in told] == [f"{__name__}.given({number})" for number in range(3)] != []
    assert len(told) < MOST_OF_FUNCTION
