"""Answers that tests notice without the change alone: what compares has become another, or only all of it is right."""

from pathlib import Path

from bot.verification.trial.trial import on_trial
from bot.verification.values import Base, Program, Suite
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP, Remembering

EXECUTOR = Remembering(BUBBLEWRAP)  # every trial has the same base
BASE = {
    "mail.py": """\
from dataclasses import dataclass


@dataclass
class Parcel:
    town: str
    grams: int


def read(line):
    town, grams = line.split()
    return Parcel(town, int(grams))


def page(parcels):
    return "\\n".join(f"{town} {grams}" for town, grams in parcels)
""",
    "post.py": """\
def grams(text):
    return int(text.split()[0])


def shown(weight):
    return f"{weight} g"


class Stamp:
    def __init__(self, price):
        self.price = price

    def __eq__(self, other):
        return self.price == other.price

    def text(self):
        return f"{self.price} cents"


def stamp(word):
    return Stamp(len(word))
""",
    "tests/test_mail.py": """\
from mail import Parcel, page, read


def test_read():
    assert read("Bonn 70") == Parcel("Bonn", 70)


def test_page():
    assert "Ulm 20" in page([("Bonn", 70), ("Ulm", 20)])
""",
    "tests/test_post.py": """\
from post import Stamp, grams, shown, stamp


def test_shown():
    assert shown(grams("40 g")) == "40 g"


def test_text():
    assert stamp("air").text() == "3 cents"


def test_stamp():
    assert stamp("ship") == Stamp(4)
""",
}


@cases
def test_what_tests_let_pass_with_the_change_alone(
    steps: dict[str, list[list[str]]], calls: list[str], tmp_path: Path
) -> None:
    """steps: of each file, what stands there and what then does."""
    for path, text in BASE.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    files = dict[str, bytes]()
    for path, pairs in steps.items():
        text = BASE[path]
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        files[path] = text.encode()
    base = Base(Program(tmp_path, {}), Suite())
    found = on_trial(EXECUTOR, base, Program(tmp_path, files), Suite(), seconds=60).found
    assert not found.regressions
    assert [each.partition(":")[0] for each in found.let_pass] == calls
