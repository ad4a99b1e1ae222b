"""A DSSE envelope (Dead Simple Signing Envelope 1.0) around an in-toto statement.

By hand, because it is one line of encoding around a signature of `cryptography`, which Bouncer has anyway. The library
of the field, securesystemslib, would bring the back ends of a dozen key stores, and takes only keys that are named as
the envelope names them, which nobody signed. The tests have it check what is made here.
"""

import base64
import binascii
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.errors import PlainError
from bot.statements.keys import PublicKey, key_id

PAYLOAD_TYPE = "application/vnd.in-toto+json"
MEDIA_TYPE = "application/vnd.dsse.envelope.v1+json"
LARGEST = 256 * 1024  # bytes; one of Bouncer's has about two thousand
MOST_SIGNATURES = 16


class EnvelopeError(PlainError):
    """It is no envelope that can be read."""


class NotVerified(Exception):
    """It can be read, and is not what it should be: nobody known signed it, or it is no verdict. The message is for
    people."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """payload: the bytes that were signed. key: who signed them."""

    payload: bytes
    key: PublicKey


def sign(payload: bytes, key: Ed25519PrivateKey) -> str:
    """The envelope, as one line of JSON."""
    signature = {"keyid": key_id(key.public_key()), "sig": _base64(key.sign(_encoded(PAYLOAD_TYPE, payload)))}
    envelope = {"payload": _base64(payload), "payloadType": PAYLOAD_TYPE, "signatures": [signature]}
    return json.dumps(envelope) + "\n"


def open_envelope(text: bytes, keys: Iterable[PublicKey]) -> Envelope:
    """What was signed by one of these keys. Raises EnvelopeError, NotVerified.

    The name that the envelope gives a key is nobody's word: every key is tried on every signature.
    """
    found = strict_json(text, "it")
    payload, kind, signatures = (found.get(name) for name in ("payload", "payloadType", "signatures"))
    if not (isinstance(payload, str) and isinstance(kind, str) and isinstance(signatures, list) and signatures):
        raise EnvelopeError("it is no signed statement: it lacks a payload, its type, or signatures.")
    if len(signatures) > MOST_SIGNATURES:
        raise EnvelopeError(f"it has more than {MOST_SIGNATURES} signatures.")
    content = _bytes(payload)
    told = _encoded(kind, content)
    given = [_bytes(each["sig"]) for each in signatures if isinstance(each, dict) and isinstance(each.get("sig"), str)]
    for key in keys:
        if any(_signed(key, signature, told) for signature in given):
            if kind != PAYLOAD_TYPE:
                raise NotVerified(f"What was signed is no in-toto statement, but {kind[:100]!r}.")
            return Envelope(content, key)
    raise NotVerified("None of the given keys signed this: it was changed, or another key signed it.")


def strict_json(text: bytes, what: str) -> dict[str, Any]:
    """An object, read as everybody reads it: a name that is there twice, and what is no JSON number, is refused. Raises
    EnvelopeError; it says of `what` what is wrong."""
    if len(text) > LARGEST:
        raise EnvelopeError(f"{what} is larger than {LARGEST:,} bytes; a statement of Bouncer's is much smaller.")
    try:
        found = json.loads(text.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise EnvelopeError(f"{what} is no valid JSON, or gives a name twice.") from None
    if not isinstance(found, dict):
        raise EnvelopeError(f"{what} is no JSON object.")
    return found


def _encoded(kind: str, payload: bytes) -> bytes:
    """What is signed, after DSSE: type and payload with their lengths, so that neither can be taken for the other."""
    name = kind.encode("utf-8", "surrogatepass")
    return b"DSSEv1 %d %b %d %b" % (len(name), name, len(payload), payload)


def _signed(key: PublicKey, signature: bytes, told: bytes) -> bool:
    try:
        key.verify(signature, told)
    except InvalidSignature:
        return False
    return True


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _bytes(text: str) -> bytes:
    """DSSE allows both alphabets. Raises EnvelopeError."""
    try:
        return base64.b64decode(text.encode("ascii").translate(_USUAL), validate=True)
    except (binascii.Error, ValueError):
        raise EnvelopeError("its payload or a signature is no base64.") from None


_USUAL = bytes.maketrans(b"-_", b"+/")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
