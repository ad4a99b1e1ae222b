"""What is logged: who can read the log learns what happened to which subject, and no secret."""

import io
import json
import logging
import string
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.settings import Settings
from bot.telemetry import logs
from bot.telemetry.redaction import HIDDEN, redactor, secrets_of
from tests.support.cases import cases

LINES = "MIIEowIBAAKCAQEAxGbouncerlineone\nlinetwoofthekeyisasecrettoo\n"
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{LINES}-----END RSA PRIVATE KEY-----\n"
VALUES = {
    "private_key": KEY,
    "webhook_secret": "hush-hush-webhook",
    "webhook_secret_previous": "older-hush-webhook",
    "client_secret": "hush-hush-client",
    "model_api_key": "model-key-value",
    "github_token": "a-persons-token",
    "actions_token": "the-runners-token",
}
PARTS = (
    "hush-hush-webhook",
    "older-hush-webhook",
    "hush-hush-client",
    "model-key-value",
    "a-persons-token",
    "the-runners-token",
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """One with a value for everything that is secret."""
    path = tmp_path / "key.pem"
    path.write_text(KEY.replace("linetwo", "linethree"))
    return Settings(
        **VALUES,
        private_key_path=path,
        database_url="postgresql://bouncer:p%40ss-word@db/bouncer",
        models=[{"model": "second", "api_key": "second-model-key"}],
    )


Lines = Callable[[], list[str]]


@pytest.fixture(params=["text", "json"])
def lines(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Lines]:
    """What was logged so far, in either form."""
    redact = redactor(secrets_of(settings))
    sink = io.StringIO()
    handler = logging.StreamHandler(sink)
    handler.setFormatter(logs.json_lines(redact) if request.param == "json" else logs.PlainLines(redact))
    log = logging.getLogger("bouncer.tests")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    yield lambda: sink.getvalue().splitlines()
    log.removeHandler(handler)


LOG = logging.getLogger("bouncer.tests")


def test_every_secret_of_the_settings_is_one_that_this_test_knows() -> None:
    """A new secret is logged nowhere: the list is made of the settings' types."""
    secret = [name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)]
    assert sorted(VALUES) == sorted(secret)


@pytest.mark.parametrize(
    "secret",
    [
        *(*PARTS, "second-model-key", "p@ss-word", "p%40ss-word"),
        *("MIIEowIBAAKCAQEAxGbouncerlineone", "linetwoofthekeyisasecrettoo", "linethreeofthekeyisasecrettoo"),
        "ghs_16C7e42F292c6912E7710c838347Ae178B4a",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_11AAAAAAA0123456789",
    ],
)
def test_no_secret_is_logged_in_whatever_part_of_a_record(lines: Lines, secret: str) -> None:
    LOG.info("it is %s here", secret)
    LOG.info(f"or {secret}")
    with logs.about(subject=f"acme/{secret}#1"):
        try:
            raise ValueError(f"wrong: {secret}")
        except ValueError:
            LOG.exception("failed")
    written = "\n".join(lines())
    assert secret not in written
    assert HIDDEN in written
    assert "ValueError: wrong: [secret]" in written.replace("\\n", "\n"), "the traceback is there"


@cases
def test_secrets_are_known_by_their_shape(told: str, written: str) -> None:
    assert redactor()(told) == written


def test_what_is_too_short_to_be_a_secret_hides_nothing() -> None:
    assert redactor(["abc", ""])("the alphabet: abcd") == "the alphabet: abcd"


@given(st.text(string.ascii_letters + string.digits + "+/=-_.", min_size=4, max_size=60), st.text(), st.text())
def test_a_known_secret_never_stays(secret: str, before: str, after: str) -> None:
    written = redactor([secret])(f"{before}{secret}{after}")
    assert secret not in written.replace(HIDDEN, "") or secret in (before + after).replace(HIDDEN, "")


def only(lines: list[str]) -> dict[str, Any]:
    (line,) = lines
    found: dict[str, Any] = json.loads(line)
    return found


@pytest.mark.parametrize("lines", ["json"], indirect=True)
def test_a_json_line_says_what_it_is_about(lines: Lines) -> None:
    with logs.about(delivery="guid-1", subject="acme/widgets#3", commit="a" * 40):
        LOG.warning("held back\nfor %s", "a reason")
    line = only(lines())
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "bouncer.tests",
        "message": "held back\nfor a reason",
        "delivery": "guid-1",
        "subject": "acme/widgets#3",
        "commit": "a" * 40,
    }


@pytest.mark.parametrize("lines", ["json"], indirect=True)
def test_nothing_is_told_of_what_is_unknown_or_over(lines: Lines) -> None:
    with logs.about(delivery="guid-1"), logs.about(subject="acme/widgets"):
        pass
    LOG.info("afterwards")
    assert set(only(lines())) == {"time", "level", "logger", "message"}


@pytest.mark.parametrize("lines", ["json"], indirect=True)
def test_values_of_other_types_are_written_as_text(lines: Lines) -> None:
    with logs.bound_contextvars(many=[1, {"key": "model-key-value"}], path=Path("x")):
        LOG.info("told")
    line = only(lines())
    assert line["many"] == [1, {"key": HIDDEN}]
    assert "x" in line["path"]


def test_secrets_that_come_later_are_taken_out_once_they_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `/setup` does: the App's are not known when the log begins."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    sink = io.StringIO()
    monkeypatch.setattr(sys, "stderr", sink)
    for name in ("excepthook",):
        monkeypatch.setattr(sys, name, sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(logging, "raiseExceptions", True)
    try:
        logs.set_up(Settings())
        logs.set_up(Settings(webhook_secret="hush-hush-webhook"))
        logging.getLogger("bouncer.tests").warning("signed with hush-hush-webhook")
    finally:
        logging.captureWarnings(False)
    assert "signed with [secret]" in sink.getvalue()
