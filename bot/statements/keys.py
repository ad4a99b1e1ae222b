"""The key that signs statements: Ed25519, made by Bouncer, in a file of its own that nobody but its owner can read."""

import hashlib
import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from bot.errors import PlainError
from bot.settings import Settings, SettingsError

PublicKey = Ed25519PublicKey
SETTING = "BOUNCER_STATEMENT_KEY_PATH"
LARGEST = 16 * 1024  # bytes of a key's file
_MEND = "Make one with `bouncer statement-key`."


class KeyFileError(PlainError):
    """A file holds no key that can be used."""


def load_signing_key(settings: Settings) -> Ed25519PrivateKey | None:
    """The server's; `None` where the settings name none. Raises SettingsError with the mend."""
    path = settings.statement_key_path
    if path is None:
        return None
    try:
        key = load_pem_private_key(_read(path), password=None)
    except OSError as error:
        raise SettingsError(f"{SETTING} ({path}) cannot be read: {error.strerror}. {_MEND}") from None
    except TypeError:
        raise SettingsError(f"{SETTING} ({path}) is protected by a passphrase; give the key without one.") from None
    except (ValueError, UnsupportedAlgorithm):
        raise SettingsError(f"{SETTING} ({path}) contains no private key. {_MEND}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingsError(f"{SETTING} ({path}) is no Ed25519 key. {_MEND}")
    return key


def make_key(path: Path) -> None:
    """Write a new key, for nobody but its owner. Raises SettingsError; what is there is never overwritten."""
    text = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        mend = f"Name another file with {SETTING}."
        raise SettingsError(f"{path} cannot be written: {error.strerror}. {mend}") from None


def public_pem(key: PublicKey) -> str:
    """The public half, as people pass it on."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def read_public(path: Path) -> PublicKey:
    """Raises a PlainError with the mend."""
    mend = "Name the file that `bouncer statement-key` prints, or the server's /statement-key.pem."
    try:
        text = _read(path)
        key = load_pem_public_key(text)
    except OSError as error:
        raise KeyFileError(f"{path} cannot be read: {error.strerror}. {mend}") from None
    except (ValueError, UnsupportedAlgorithm):
        if b"PRIVATE KEY" in text:
            raise KeyFileError(f"{path} is a private key, which belongs to the server alone. {mend}") from None
        raise KeyFileError(f"{path} contains no public key. {mend}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyFileError(f"{path} is no Ed25519 key, so none of Bouncer's. {mend}")
    return key


def key_id(key: PublicKey) -> str:
    """A name for it: SHA-256 of its DER, in hex."""
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST)
