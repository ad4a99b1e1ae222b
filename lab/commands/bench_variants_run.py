"""How `bouncer bench variants` places versions of a change, tests them and has the gate judge them. Answers stay."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import click

from bot.commands.confirmation import asks_model, confirm_cost, how_asked
from bot.commands.judge_pull import facts_of
from bot.commands.judge_pull_input import in_clone
from bot.commands.own_clone import cache_file
from bot.commands.predictions import Journal, digest, predict_all, writable
from bot.commands.shared import InputError
from bot.judges.factory import make_patch_reviewer
from bot.judges.openai import prompts
from bot.judges.openai.models import judges_of_pulls
from bot.judges.openai.spend import MemorySpend
from bot.judges.reviews import ReviewMode
from bot.policy import Policy
from bot.pulls.judgement import concluded
from bot.sandbox.protocol import Executor
from bot.settings import Settings
from bot.verdicts import Cause, Decision
from bot.verification.patch_evidence import AnswerBeside
from lab.commands.bench_asking import ask_about_patches, say_cost
from lab.data.answers import OUTPUT
from lab.data.git_commits import directories
from lab.data.strengthened import StrengthenedTask
from lab.fixed.recipes import REPOSITORIES
from lab.variants.tasks import (
    MUTATION,
    RIGHT,
    GatedVersion,
    Truth,
    VariantTask,
    Version,
    place_task,
    run_tests,
    truth_of,
)

Placed = tuple[VariantTask, Version]
_KEPT = "kept"  # the label of what is kept in the journal


class VariantRun:
    """Tests and judges `jobs` versions side by side."""

    def __init__(self, settings: Settings, executor: Executor, jobs: int) -> None:
        self._settings, self._executor, self._jobs = settings, executor, jobs
        self._spend = MemorySpend()

    def truths(self, placed: Sequence[Placed]) -> list[Truth]:
        """What tests say of each, in order."""

        def told(one: Placed) -> dict[str, Any]:
            found = run_tests(*one, self._executor, self._settings)
            return {"label": Decision.UNAVAILABLE.value if found is None else _KEPT, "passed": found}

        found = [each["passed"] for each in self._kept("tests", [self._executor.name], placed, told)]
        right = {task.id: each for (task, version), each in zip(placed, found, strict=True) if version.kind == RIGHT}
        return [
            truth_of(each, right[task.id] or (), task.hidden) for (task, _), each in zip(placed, found, strict=True)
        ]

    def judge(self, placed: Sequence[Placed], *, yes: bool) -> list[GatedVersion]:
        """What the gate says of each, in order. yes: spend what a model costs without asking. Raises `InputError`."""
        settings = self._settings
        models = judges_of_pulls(settings) if asks_model(settings) else ()
        asked = [str((each.model, *how_asked(each))) for each in models]
        asked += [prompts.digest_of_all()] if models else [""]
        who = [settings.judge, *asked, self._executor.name]
        agree = self._agreed(yes) if asks_model(settings) else lambda _: None
        try:
            found = self._kept("gate", who, placed, self._judged, agree)
        finally:
            if asks_model(settings):
                say_cost(judges_of_pulls(settings), self._spend)
        return [_gated(version, each) for (_, version), each in zip(placed, found, strict=True)]

    def _agreed(self, yes: bool) -> Callable[[Sequence[Placed]], None]:
        policy = Policy().pulls
        judge = make_patch_reviewer(self._settings, self._spend, ReviewMode(policy.review), policy.strictness).name

        def agree(todo: Sequence[Placed]) -> None:
            characters = sum(len(task.issue) for task, _ in todo)
            confirm_cost((self._settings,), judge, len(todo), len(todo), characters, yes)

        return agree

    def _judged(self, one: Placed) -> dict[str, Any]:
        """As `bouncer judge pull` judges it. What could not be executed here is not kept."""
        task, version = one
        issue = task.directory.with_name(f"{task.directory.name}-{version.head}.md")
        issue.write_text(task.issue, "utf-8")
        with in_clone(task.directory, task.base, version.head, str(issue), self._settings) as proposed:
            policy = proposed.policy.model_copy(update={"verify": task.verify})
            facts = facts_of(replace(proposed, policy=policy), self._settings, self._spend)
        verdict = concluded(facts, head=version.head, base=task.base).verdict
        unjudged = facts.trial.problem or (facts.unjudged if asks_model(self._settings) else "")
        return {
            "label": Decision.UNAVAILABLE.value if unjudged else _KEPT,
            "decision": verdict.decision.value,
            "cause": verdict.cause.value if verdict.cause else "",
            "ground": verdict.ground,
            "named": self._named(task, facts.trial.patch.untested) if facts.trial.patch else False,
        }

    def _named(self, task: VariantTask, told: Sequence[AnswerBeside]) -> bool:
        """Whether an answer of a version, to a call without copied objects, is another than the right change gives."""
        path, told = "tests/test_named_answers.py", [each for each in told if "…" not in each.call]
        asked = replace(task, tests={path: _as_tests(told)}, run=(path,))
        passing = run_tests(asked, task.versions[0], self._executor, self._settings) if told else None
        return passing is not None and len(passing) < len(told)

    def _kept(
        self,
        what: str,
        who: Sequence[str],
        placed: Sequence[Placed],
        find: Callable[[Placed], dict[str, Any]],
        agree: Callable[[Sequence[Placed]], None] = lambda _: None,
    ) -> list[dict[str, Any]]:
        """One answer for each, as an earlier run found it where it did. who: what it depends on besides."""
        head = ["variants/3", what, installed("bouncer-bot"), *who]
        path = cache_file(self._settings.cache_dir / "bench" / f"variants-{digest(head)[:32]}.jsonl", self._settings)
        keys = [_key(*each) for each in placed]
        subjects: Mapping[str, Placed] = dict(zip(keys, placed, strict=True))
        with writable(path):
            journal = Journal(path, head)
            known = journal.resume()
            if todo := [each for key, each in subjects.items() if key not in known]:
                agree(todo)
            found = predict_all(subjects, find, journal, known=known, jobs=self._jobs)
        return [found[key] for key in keys]


def _gated(version: Version, found: Mapping[str, Any]) -> GatedVersion:
    cause = Cause(found["cause"]) if found["cause"] else None
    return GatedVersion(version.kind, Decision(found["decision"]), cause, found["ground"], bool(found["named"]))


def _as_tests(told: Sequence[AnswerBeside]) -> bytes:
    """A test for each answer, which passes where it is given."""
    given = (
        f"def test_{at}():\n    import contextlib, importlib\n    name = {each.call.partition('(')[0]!r}.split('.')\n"
        "    for end in range(1, len(name)):\n        with contextlib.suppress(ImportError):\n"
        "            importlib.import_module('.'.join(name[:end]))\n"
        "    try:\n        names = {name[0]: importlib.import_module(name[0])}\n"
        f"        found = repr(eval({each.call!r}, names))\n    except Exception as error:\n"
        f"        found = 'raises ' + type(error).__name__\n    assert found == {each.after!r}\n"
        for at, each in enumerate(told)
    )
    return "\n\n".join(given).encode()


def _key(task: VariantTask, version: Version) -> str:
    """What an answer depends on: the commits, the issue, the tests and how they are run."""
    tests = {path: text.decode("utf-8", "replace") for path, text in task.tests.items()}
    commits = (task.base, version.head)
    return digest([task.issue, commits, task.verify.model_dump_json(), tests, sorted(task.hidden), task.run])


def of_clones(
    published: Sequence[StrengthenedTask], wrong: Mapping[str, Sequence[str]], clones: Path, into: Path, seed: int
) -> list[VariantTask]:
    """Those that can be placed; how many cannot is said. Raises `InputError` where none can."""
    places = directories(clones)
    there = [task for task in published if task.repository in places and task.repository in REPOSITORIES]
    made = (
        place_task(task, places[task.repository], into / str(at), wrong.get(task.id, ()), seed)
        for at, task in enumerate(there)
    )
    found = [task for task in made if task]
    if not found:
        raise InputError(
            f"{clones}: none of the {len(published)} tasks can be placed. Clone one of {', '.join(REPOSITORIES)} "
            "there, with all of its history, as OWNER+NAME.git."
        )
    if len(found) < len(published):
        left = len(published) - len(found)
        click.echo(
            f"{left} of {len(published)} tasks are left out: there is no clone, no recipe to set the repository up, no "
            "such base commit, or a patch does not fit.",
            err=True,
        )
    return found


def judge_texts(
    published: Sequence[StrengthenedTask],
    wrong: Mapping[str, Sequence[str]],
    settings: Settings,
    jobs: int,
    *,
    yes: bool,
) -> list[GatedVersion]:
    """What the judge of `bouncer bench output` says of right patches and mutations. Raises `InputError`."""
    if not any(task.id in wrong for task in published):
        raise InputError(
            "without the repositories no version can be made. Name clones with --clones DIR, or patches of these tasks "
            "with --mutations FILE."
        )
    told = {f"{task.id}, right": (RIGHT, task.issue, task.patch) for task in published if task.id in wrong}
    for task in published:
        patches = enumerate(wrong.get(task.id, ()), 1)
        told |= {f"{task.id}, mutation {at}": (MUTATION, task.issue, patch) for at, patch in patches}
    texts = {name: (issue, patch) for name, (_, issue, patch) in told.items()}
    judged = ask_about_patches(settings, None, texts, MemorySpend(), jobs=jobs, yes=yes)
    answers, _ = judged.answers(OUTPUT, list(told))
    found = []
    for (name, (kind, _, _)), answer in zip(told.items(), answers, strict=True):
        said = Decision.BOUNCE if answer.bounce else Decision.ACCEPT if answer.judged else Decision.UNAVAILABLE
        cause = None if answer.judged else Cause.OUTSIDE
        found.append(GatedVersion(kind, said, cause, judged.predictions[name]["label"]))
    return found
