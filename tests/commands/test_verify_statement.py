"""`bouncer verify-statement`: what an honest verdict passes, and each trick that does not."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_public_key,
)
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from bot.cli import main
from bot.policy_file import PolicySource
from bot.pulls.facts import PullFacts
from bot.pulls.result import PullResult
from bot.rendering.statement import VerdictStanding, statement
from bot.statements.envelope import LARGEST, PAYLOAD_TYPE, sign
from bot.statements.keys import key_id, public_pem
from bot.storage.overrides import Override
from bot.verdicts import Decision, Verdict
from bot.verification.evidence import HeadTrial, TrialDigests

HEAD, BASE, TREE = "a" * 40, "b" * 40, "c" * 40
POLICY = "mode: enforce\n"
KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
NOW = datetime.now(UTC).replace(microsecond=0)
REASON = "A test goes from red to green."


def told(decision: Decision = Decision.ACCEPT, **known: Any) -> VerdictStanding:
    digests = TrialDigests(TREE, "1" * 64, "2" * 64)
    result = PullResult(
        Verdict(decision, None, None, "offline-patch/1", None, (REASON,)),
        HEAD,
        base=BASE,
        facts=PullFacts(trial=HeadTrial(digests=digests)),
        policy=PolicySource.of(POLICY),
    )
    given = {"result": result, "judged_at": NOW, "stated_at": NOW, "repository": "acme/shop", "number": 7}
    return VerdictStanding(**{**given, "uri": "https://github.com/acme/shop", **known})


def signed(verdict: VerdictStanding, key: Ed25519PrivateKey = KEY) -> str:
    return sign(statement(verdict).payload(), key)


def with_override() -> VerdictStanding:
    word = Override(id="1", repo_id=1, number=7, head=HEAD, who="ann", permission="admin", reason="We ship.", at=NOW)
    return told(Decision.BOUNCE, override=word)


BOUNCED = signed(told(Decision.BOUNCE))


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., Result]:
    """Run the command on an envelope with these options. keys: the public keys it is given."""

    def run(text: str | bytes, *options: str, keys: tuple[str, ...] = (public_pem(KEY.public_key()),)) -> Result:
        (tmp_path / "said.json").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        given = [str(tmp_path / "said.json"), *options]
        for number, pem in enumerate(keys):
            (tmp_path / f"{number}.pem").write_text(pem)
            given += ["--key", str(tmp_path / f"{number}.pem")]
        return CliRunner().invoke(main, ["verify-statement", *given])

    return run


def changed(text: str, **fields: Any) -> str:
    return json.dumps({**json.loads(text), **fields})


def encoded(document: str) -> str:
    return base64.b64encode(document.encode()).decode()


def payload_of(text: str) -> str:
    return base64.b64decode(json.loads(text)["payload"]).decode()


def forged(text: str, *pairs: tuple[str, str], key: Ed25519PrivateKey = KEY) -> str:
    """Signed again by the key itself, with other words in it."""
    payload = payload_of(text)
    for old, new in pairs:
        assert old in payload
        payload = payload.replace(old, new)
    return sign(payload.encode(), key)


def test_an_accepted_verdict_passes_and_tells_all_it_stands_on(check: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "policy.yml").write_text(POLICY)
    wanted = ["--head", HEAD, "--base", BASE, "--tree", TREE, "--repo", "Acme/Shop", "--max-age", "1"]
    done = check(signed(told()), *wanted, "--policy", str(tmp_path / "policy.yml"))
    assert (done.exit_code, done.stderr) == (0, "")
    for said in ("ACCEPT  acme/shop #7", REASON, HEAD, BASE, TREE, "1" * 64, "2" * 64, key_id(KEY.public_key())):
        assert said in done.stdout
    assert "Not known" not in done.stdout


def test_what_bouncer_does_not_know_is_left_out_and_said(check: Callable[..., Result]) -> None:
    bare = told(result=replace(told().result, base="", facts=PullFacts(), policy=None), repository="", number=0)
    text = signed(bare)
    assert set(json.loads(payload_of(text))["predicate"]) == {
        *("verdict", "reason", "ground", "judge", "judgedAt", "statedAt", "bouncer")
    }
    done = check(text)
    assert done.exit_code == 0
    everything = "the repository, the base, the merged tree, the policy, the environment, the tests."
    assert f"Not known to Bouncer, and so not stated: {everything}" in done.stdout
    asked = check(text, "--base", BASE, "--tree", TREE, "--repo", "acme/shop")
    assert asked.exit_code == 1 and asked.stderr.count("so it cannot be compared") == 3


def test_the_fields_own_library_opens_it() -> None:
    """securesystemslib, which knows nothing of Bouncer."""
    public = SSlibKey.from_crypto(load_pem_public_key(public_pem(KEY.public_key()).encode()), key_id(KEY.public_key()))
    envelope = Envelope.from_dict(json.loads(signed(told())))
    assert envelope.payload_type == PAYLOAD_TYPE and envelope.verify([public], 1)
    envelope.payload += b" "
    with pytest.raises(VerificationError):
        envelope.verify([public], 1)


@pytest.mark.parametrize(
    ("verdict", "options", "status", "says"),
    [
        (told(Decision.BOUNCE), (), 1, f"The verdict is BOUNCE, not ACCEPT: {REASON}"),
        (told(Decision.UNAVAILABLE), (), 1, "The verdict is UNAVAILABLE, not ACCEPT"),
        (told(Decision.BOUNCE), ("--allow-override",), 1, "The verdict is BOUNCE"),
        (with_override(), (), 1, "ann overrode the verdict, which was BOUNCE: it passes by a person's word"),
        (with_override(), ("--allow-override",), 0, ""),
        (replace(with_override(), result=told().result), (), 1, "which was ACCEPT"),
        (told(superseded_at=NOW), (), 1, "There is a newer verdict on this commit"),
        (told(), ("--head", "d" * 40), 1, f"The head is {HEAD}, not {'d' * 40}."),
        (told(), ("--base", HEAD), 1, "The base is"),
        (told(), ("--tree", HEAD), 1, "The merged tree is"),
        (told(), ("--repo", "acme/shop-fork"), 1, "The repository is acme/shop, not acme/shop-fork."),
        (told(stated_at=NOW - timedelta(hours=3)), ("--max-age", "2"), 1, "It was stated 3."),
        (told(stated_at=NOW - timedelta(hours=3)), ("--max-age", "4"), 0, ""),
        (told(stated_at=NOW + timedelta(hours=1)), (), 1, "still to come: check the clocks"),
        (told(), ("--head", HEAD[:7]), 2, "--head aaaaaaa: give the full id"),
    ],
)
def test_what_a_statement_says_decides(
    check: Callable[..., Result], verdict: VerdictStanding, options: tuple[str, ...], status: int, says: str
) -> None:
    done = check(signed(verdict), *options)
    assert (done.exit_code, says in done.stderr) == (status, True), done.output


def test_an_overridden_verdict_never_reads_as_accepted_by_evidence() -> None:
    for result in (told().result, told(Decision.BOUNCE).result):
        said = json.loads(payload_of(signed(replace(with_override(), result=result))))["predicate"]
        assert said["verdict"] == "OVERRIDDEN"
        assert said["override"]["verdict"] == result.verdict.decision and said["override"]["by"] == "ann"


@pytest.mark.parametrize(
    "trick",
    [
        lambda text: changed(BOUNCED, payload=encoded(payload_of(BOUNCED).replace("BOUNCE", "ACCEPT"))),
        lambda text: changed(text, payloadType="application/json"),
        lambda text: changed(text, payload=encoded(payload_of(text) + " ")),
        lambda text: changed(text, signatures=json.loads(BOUNCED)["signatures"]),
        lambda text: changed(text, signatures=[{"keyid": key_id(KEY.public_key()), "sig": ""}]),
        lambda text: signed(told(), OTHER).replace(key_id(OTHER.public_key()), key_id(KEY.public_key())),
        lambda text: forged(text, ("https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1")),
        lambda text: forged(text, ("pkg:pypi/bouncer-bot#verdict/v1", "https://slsa.dev/verification_summary/v1")),
    ],
    ids=["payload", "type", "space", "swapped", "empty", "other key", "statement", "predicate"],
)
def test_what_was_changed_or_is_something_else_does_not_hold(
    check: Callable[..., Result], trick: Callable[[str], str]
) -> None:
    done = check(trick(signed(told())))
    assert done.exit_code == 1, done.output
    assert "acme/shop" not in done.stdout, "nothing that nobody signed is shown"


def test_a_document_of_another_type_that_the_key_signed_is_no_statement(check: Callable[..., Result]) -> None:
    payload, kind = statement(told()).payload(), "text/plain"
    signature = KEY.sign(b"DSSEv1 %d %b %d %b" % (len(kind), kind.encode(), len(payload), payload))
    envelope = {"payload": encoded(payload.decode()), "payloadType": kind}
    done = check(json.dumps({**envelope, "signatures": [{"sig": base64.b64encode(signature).decode()}]}))
    assert done.exit_code == 1 and "no in-toto statement, but 'text/plain'" in done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "no valid JSON"),
        (b"[]", "no JSON object"),
        (b"{}", "it lacks a payload"),
        (b"\xff\xfe", "no valid JSON"),
        (b"[" * 100_000, "no valid JSON"),
        (b" " * (LARGEST + 1), "larger than"),
        (changed(signed(told()), payload="%%%").encode(), "no base64"),
        (signed(told()).replace('{"payload"', '{"payload": "e30=", "payload"', 1).encode(), "no valid JSON"),
        (sign(b'{"_type": "x", "_type": "y"}', KEY).encode(), "what was signed is no valid JSON"),
        (sign(b'{"a": NaN}', KEY).encode(), "what was signed is no valid JSON"),
        (forged(signed(told()), ('"ACCEPT"', '"accept"')).encode(), "predicate.verdict is missing or odd"),
        (forged(signed(told()), (HEAD, "a" * 39)).encode(), "is missing or odd"),
        (changed(signed(told()), signatures=[{"sig": "e30="}] * 17).encode(), "more than 16 signatures"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_line(check: Callable[..., Result], text: bytes, says: str) -> None:
    done = check(text, "--json")
    assert done.exit_code == 2, done.output
    assert says in done.stderr and done.stderr.count("\n") == 1
    document = json.loads(done.stdout)
    assert document["ok"] is False and says in document["error"]


def test_keys_may_change(check: Callable[..., Result]) -> None:
    both = (public_pem(OTHER.public_key()), public_pem(KEY.public_key()))
    for key in (KEY, OTHER):
        assert check(signed(told(), key), keys=both).exit_code == 0
        lying = signed(told(), key).replace(key_id(key.public_key()), "somebody's")
        assert check(lying, keys=both).exit_code == 0, "a name in the envelope is a hint and nothing else"
    assert check(signed(told(), OTHER)).exit_code == 1
    url_safe = json.loads(signed(told()))
    url_safe["signatures"][0]["sig"] = url_safe["signatures"][0]["sig"].replace("+", "-").replace("/", "_")
    assert check(json.dumps(url_safe)).exit_code == 0


def test_a_wrong_kind_of_key_is_named(check: Callable[..., Result]) -> None:
    spki, private = PublicFormat.SubjectPublicKeyInfo, (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    keys = {
        "no Ed25519 key": ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.PEM, spki),
        "no Ed25519 key, so": rsa.generate_private_key(65537, 2048).public_key().public_bytes(Encoding.PEM, spki),
        "is a private key, which belongs to the server alone": KEY.private_bytes(*private),
        "contains no public key": b"nothing",
    }
    for says, pem in keys.items():
        done = check(signed(told()), keys=(pem.decode(),))
        assert done.exit_code == 2 and says in done.stderr, done.output


def test_it_is_one_document_for_programs(check: Callable[..., Result]) -> None:
    good, bad = (json.loads(check(signed(told(each)), "--json").stdout) for each in (Decision.ACCEPT, Decision.BOUNCE))
    assert good["ok"] and good["problems"] == [] and good["unknown"] == []
    assert good["statement"]["subject"][0] == {"name": "head", "digest": {"gitCommit": HEAD}}
    assert good["statement"]["subject"][1] == {"name": "merged tree", "digest": {"gitTree": TREE}}
    assert not bad["ok"] and "BOUNCE" in bad["problems"][0]
    unsigned = json.loads(check(signed(told(), OTHER), "--json").stdout)
    assert not unsigned["ok"] and "statement" not in unsigned


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> Result:
        return CliRunner().invoke(main, ["statement-key"])

    monkeypatch.delenv("BOUNCER_STATEMENT_KEY_PATH", raising=False)
    assert run().exit_code == 2 and "no place is set" in run().stderr
    place = tmp_path / "keys" / "statement.pem"
    monkeypatch.setenv("BOUNCER_STATEMENT_KEY_PATH", str(place))
    first, again = run(), run()
    assert first.exit_code == again.exit_code == 0 and first.stdout == again.stdout
    assert first.stdout.startswith("-----BEGIN PUBLIC KEY-----") and "PRIVATE" not in first.output
    assert place.stat().st_mode & 0o777 == 0o600
    place.write_text("something of mine")
    kept = run()
    assert kept.exit_code == 2 and "contains no private key" in kept.stderr
    assert place.read_text() == "something of mine"


@pytest.mark.parametrize("option", ["--head", "--tree", "--base", "--repo"])
def test_an_option_that_a_script_forgot_to_fill_is_not_left_out(check: Callable[..., Result], option: str) -> None:
    done = check(signed(told()), option, "")
    assert done.exit_code == 2 and f"{option} is empty" in done.output
