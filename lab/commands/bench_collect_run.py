"""How `bouncer bench collect` runs the tests of fixes: in the sandbox, two bugs side by side, each verdict kept."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bot.commands.confirmation import SIDE_BY_SIDE, confirm_wait, minutes_for
from bot.commands.own_clone import UNWRITABLE, files_of, unwritable_cache
from bot.commands.predictions import Journal, digest, predict_all
from bot.commands.shared import InputError, runner
from bot.commands.verify_input import read_policy
from bot.github import commits
from bot.github.errors import GitHubError
from bot.policy import Policy
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities
from bot.settings import Settings
from bot.storage.directories import lock
from bot.verdicts import Decision
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.stage import staged
from lab.bugs.candidates import BugCandidate
from lab.bugs.funnel import LeftOut
from lab.bugs.trials import ROUNDS, BugTests, try_tests

SECONDS_EACH = 60  # for the estimate
_LESS = "or smaller --issues and --pulls"


class BugTrials:
    """Tries the candidates of one repository. path, clone: the repository. policy: `None` for what each base says.
    folder: where verdicts are kept."""

    def __init__(
        self, path: Path, clone: commits.Clone, settings: Settings, policy: Policy | None, folder: Path
    ) -> None:
        self._path, self._clone, self._settings, self._policy = path, clone, settings, policy
        run = digest([version("bouncer-bot"), settings.executor, ROUNDS])
        self._kept = folder / f"bugs-{run[:32]}.jsonl"
        self._journal = Journal(self._kept, [run])

    def tried(self, bugs: Sequence[BugCandidate], *, yes: bool, retry: bool) -> list[BugTests]:
        """What the tests of each say. yes: however long that takes. retry: also those that could not be run the last
        time. Raises `InputError` for a no."""
        subjects = {self._key(bug): bug for bug in bugs}
        try:
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            with lock(self._kept.with_suffix(".lock")):  # a second run waits, then knows what this one found
                kept = self._journal.resume()
                known = {key: each for key, each in kept.items() if not (retry and each["problem"])}
                left = sum(key not in known for key in subjects)
                confirm_wait("running the tests", minutes_for(left, SECONDS_EACH), _LESS, yes=yes)
                found = predict_all(
                    subjects, self._try, self._journal, known=known, jobs=SIDE_BY_SIDE, doing="Running tests"
                )
        except UNWRITABLE:
            raise unwritable_cache(self._settings) from None
        return [_restored(found[self._key(bug)]) for bug in bugs]

    def _key(self, bug: BugCandidate) -> str:
        return digest([bug.base, bug.fixed, bug.tests, self._policy.verify.model_dump_json() if self._policy else ""])

    def _try(self, bug: BugCandidate) -> dict[str, Any]:
        """Never raises for what is wrong with one bug."""
        try:
            found = self._run(bug)
        except (InputError, GitHubError) as error:
            found = BugTests(LeftOut.NOT_RUN, problem=f"its commits cannot be read: {error}", ours=True)
        label = Decision.UNAVAILABLE if found.ours else found.left_out.name if found.left_out else "KEPT"
        return {"label": label, **asdict(found)}

    def _run(self, bug: BugCandidate) -> BugTests:
        executor = choose(self._settings, runner(self._settings))
        if isinstance(executor, Capabilities):
            return BugTests(LeftOut.NOT_RUN, problem=executor.problem, ours=True)
        before, after = (files_of(self._clone, self._path, sha, self._settings) for sha in (bug.base, bug.fixed))
        verify = (self._policy or read_policy(before)).verify
        made, owner = commits.commit_time(self._clone.directory, bug.base), str(self._path.resolve())
        with staged(executor, before, after, verify, self._settings, owner=owner, made=made) as stage:
            if isinstance(stage, EnvironmentProblem):
                return BugTests(LeftOut.NOT_RUN, problem=stage.told)
            return try_tests(stage, bug.tests)


def _restored(kept: Mapping[str, Any]) -> BugTests:
    out = kept["left_out"]
    return BugTests(
        LeftOut(out) if out else None,
        tuple(kept["fail_to_pass"]),
        tuple(kept["pass_to_pass"]),
        kept["problem"],
        kept["ours"],
    )
