"""`--statement FILE` of `bouncer judge pull`: the verdict, signed with this machine's own key."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.commands.shared import InputError
from bot.pulls.result import PullResult
from bot.rendering.statement import VerdictStanding, statement
from bot.settings import Settings
from bot.statements.envelope import sign
from bot.statements.keys import SETTING, load_signing_key


@dataclass(frozen=True, slots=True)
class StatementFile:
    """Where a statement is to be written, and by which key it is signed."""

    path: Path
    key: Ed25519PrivateKey
    web_url: str

    @classmethod
    def of(cls, path: Path, settings: Settings) -> "StatementFile":
        """Before anything is judged. Raises `PlainError` where it cannot be signed or written."""
        key = load_signing_key(settings)
        if key is None:
            raise InputError(f"--statement needs a key to sign with: set {SETTING}, and run `bouncer statement-key`.")
        if not path.absolute().parent.is_dir() or path.is_dir():
            raise InputError(f"{path} cannot be written: name a file in a directory that is there.")
        return cls(path, key, settings.github_web_url.rstrip("/"))

    def write(self, result: PullResult, *, repository: str, number: int) -> None:
        """repository, number: of a pull request; empty for two commits of a clone. Raises `InputError`."""
        now = datetime.now(UTC)
        uri = f"{self.web_url}/{repository}" if repository else ""
        told = VerdictStanding(
            result=result, judged_at=now, stated_at=now, repository=repository, uri=uri, number=number
        )
        try:
            self.path.write_text(sign(statement(told).payload(), self.key), "utf-8")
        except OSError as error:
            raise InputError(f"{self.path} cannot be written: {error.strerror}.") from None
