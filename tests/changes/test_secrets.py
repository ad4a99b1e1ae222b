"""Secrets are found by their issuers' patterns and never repeated. All of these are made up, and put together here so
that no scanner takes this file for a leak."""

import random
import string

import pytest

from bot.changes.risks.values import Risk
from bot.changes.secrets import MOST, _checksum, secrets
from bot.changes.values import Change
from tests.changes.parts import change_of

_RANDOM = random.Random(4)


def _made_up(number: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(_RANDOM.choice(letters) for _ in range(number))


def _checked(prefix: str) -> str:
    text = _made_up(30)
    return prefix + text + _checksum(text)


def _key(kind: str, text: str) -> str:
    return f"-----BEGIN {kind}PRIVATE" + f" KEY-----\n{text}\n"


def found(change: Change) -> list[Risk]:
    return list(secrets(change, lambda file: None))


REAL = [
    ("AWS access key", "AKIA" + _made_up(16, string.ascii_uppercase + "234567")),
    ("GitHub token", _checked("ghp_")),
    ("GitHub token", _checked("ghs_")),
    ("GitHub token", "github_pat_" + _made_up(22) + "_" + _made_up(59)),
    ("npm token", _checked("npm_")),
    ("Slack token", "xoxb-" + _made_up(12, "3579") + "-" + _made_up(24)),
    (
        "Slack webhook",
        "https://hooks.slack.com/services/T" + _made_up(9).upper() + "/B" + _made_up(9).upper() + "/" + _made_up(24),
    ),
    ("OpenAI key", "sk-proj-" + _made_up(40) + "T3Blbk" + "FJ" + _made_up(40)),
    ("Anthropic key", "sk-ant-api03-" + _made_up(95)),
    ("Stripe key", "sk_live_" + _made_up(24)),
    ("Google key", "AIza" + _made_up(35)),
    ("private key", _key("RSA ", _made_up(64))),
    ("private key", _key("", _made_up(64))),
]


@pytest.mark.parametrize(("kind", "text"), REAL, ids=lambda value: value.split("\n")[0][:12])
def test_found_at_its_line_and_not_repeated(kind: str, text: str) -> None:
    change = change_of(("a.py", "x = 1\ny = 2\n", f"x = 1\nkey = '{text}'\ny = 2\n"))
    (secret,) = found(change)
    assert secret.path == "a.py" and f": {kind}." in secret.sentence
    assert secret.line == (3 if "\n" in text else 2)
    assert text.split("-----\n")[-1].strip() not in repr(secret)


def test_a_key_behind_a_line_end_that_is_written_down_is_found() -> None:
    text = "-----END CERTIFICATE-----\\n" + _key("", _made_up(64)).replace("\n", "\\n")
    (secret,) = found(change_of(("a.json", "", f'{{"pem": "{text}"}}\n')))
    assert ": private key." in secret.sentence


def test_the_checksum_is_githubs() -> None:
    # From GitHub's own article on the format of its tokens: a token that was never valid for anything.
    assert _checksum("zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ") == "0mLq17"


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7" + "EXAMPLE",
        "ghp_" + _made_up(30) + "000000",  # a wrong checksum
        "ghp_" + "x" * 36,
        "sk_live_" + "x" * 24,
        "sk_test_" + _made_up(24),
        "a" + REAL[1][1],
        "if text.startswith('-----BEGIN PRIVATE" + " KEY-----'):\n    return parse(text)",
        "api_key = os.environ['API_KEY']",
    ],
)
def test_no_secret(text: str) -> None:
    assert not found(change_of(("a.py", "x = 1\n", f"x = 1\n{text}\n")))


def test_only_what_is_new() -> None:
    text = f"key = '{REAL[1][1]}'\n"
    assert not found(change_of(("a.py", f"x = 1\n{text}", "x = 1\n")))
    assert not found(change_of(("a.py", f"x = 1\n{text}", "x = 1\n"), ("b.py", "x = 1\n", f"x = 1\n{text}")))


def test_many_are_cut() -> None:
    tokens = [_checked("ghp_") for _ in range(MOST + 5)]
    many = found(change_of(("a.py", "x\n", "x\n" + "\n".join(tokens))))
    assert len(many) == MOST and (many[0].path, many[0].line) == ("a.py", 2)


def test_a_very_long_line() -> None:
    marks = "ghp_ AKIA sk-T3BlbkFJ- hf_ SG. xoxb-1 sk-ant-a "
    assert not found(change_of(("a.py", "x\n", "x\n" + marks * 2_000)))
