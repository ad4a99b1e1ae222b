"""What happens around a judgement at the gate: rounds, overrides that last, a broken policy, shared commits, words."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from bot.github.deliveries import Delivery
from bot.github.events import read
from bot.policy_file import PATH
from bot.rendering.gate import NAME
from bot.storage.overrides import Override
from fake_github.traffic import Fault
from tests.support.lengths import EVERY_TRICK
from tests.workflows.house import PLAUSIBLE, House, Told
from tests.workflows.test_gate import AGENT, BREAKS, CODE, ENFORCE, check, propose, told

__all__ = ["told"]

STICKY = "mode: enforce\npulls: {rounds: 9, override: {sticky: true}}\n"
DOCUMENT = {"docs/half.md": "How to halve.\n"}
BROKEN = "mode: [enforce\n"


def overridden(house: House, told: Told, policy: str = STICKY) -> tuple[str, int]:
    """A bounced pull request that a maintainer lets through."""
    told.stood = BREAKS
    repo, number = propose(house, policy)
    house.say(repo, number, "/bouncer override The test is wrong.", by="maintainer")
    assert check(house, repo) == ("success", "Overridden by maintainer")
    return repo, number


def pushed(house: House, repo: str, number: int, files: Mapping[str, str | None], *, onto: str = "") -> str:
    head = house.github.push_to_pull(repo, number, files, onto=onto, by=AGENT)
    house.settle()
    return head


def trail(house: House, repo: str, number: int) -> tuple[Override, ...]:
    return house.services.overrides.trail(house.github.repo(repo).id, number)


def summary(house: House, repo: str, head: str) -> str:
    return next(run.summary for run in house.github.checks(repo) if run.head_sha == head)


# Overrides that last


def test_an_override_is_carried_over_and_the_record_says_from_where(house: House, told: Told) -> None:
    repo, number = overridden(house, told)
    (given,) = trail(house, repo, number)
    heads = [pushed(house, repo, number, files) for files in (DOCUMENT, {"docs/use.md": "x\n"}, {})]
    assert check(house, repo) == ("success", "Overridden by maintainer")
    assert f"carried over from commit `{heads[1][:7]}`" in summary(house, repo, heads[2])
    kept = trail(house, repo, number)[::-1]
    assert [(each.head, each.carried_from) for each in kept] == [
        (given.head, ""),
        (heads[0], given.head),
        (heads[1], heads[0]),
        (heads[2], heads[1]),
    ]
    assert {(each.who, each.reason, each.permission) for each in kept} == {
        ("maintainer", "The test is wrong.", "maintain")
    }
    assert [each.ended_at is None for each in kept] == [False, False, False, True]
    pushed(house, repo, number, {"client/e2e/session.js": "export const admin = true\n"})
    assert check(house, repo)[0] == "failure"
    assert trail(house, repo, number)[0].ended_by == "a push"


@pytest.mark.parametrize(("manifest", "lasts"), [('[project]\nreadme = "README.md"\n', False), ("[project]\n", True)])
def test_a_readme_is_prose_unless_the_build_reads_it(house: House, told: Told, manifest: str, lasts: bool) -> None:
    told.stood = BREAKS
    repo = house.repository(STICKY)
    house.github.push(repo, {"pyproject.toml": manifest, "README.md": "Halves.\n"})
    number = house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    house.say(repo, number, "/bouncer override The test is wrong.", by="maintainer")
    assert check(house, repo, number)[0] == "success"
    pushed(house, repo, number, {"README.md": "It halves.\n"})
    assert (check(house, repo, number)[0] == "success") is lasts


def test_what_ends_an_override_that_may_last(house: House, told: Told) -> None:
    """A commit that is gone, a rebase though the pull request changes the same, and permission taken away."""
    told.stood = BREAKS
    repo = house.repository(STICKY)
    gone, rebased, without_permission = (
        house.github.open_pull(repo, "Add half()", {f"{name}.py": CODE}, by=AGENT) for name in ("one", "two", "three")
    )
    house.settle()
    house.clock.advance(seconds=1)
    for number in (gone, rebased, without_permission):
        house.github.comment(repo, number, "/bouncer override The test is wrong.", by="maintainer")
    house.settle()
    house.github.traffic.add(Fault(1, method="GET", route="/repos/{owner}/{repo}/compare/{basehead}", status=404))
    pushed(house, repo, gone, DOCUMENT)
    base = house.github.push(repo, {"other.py": "x = 1\n"})
    pushed(house, repo, rebased, {"two.py": CODE}, onto=base)
    assert check(house, repo, without_permission) == ("success", "Overridden by maintainer")
    house.github.repo(repo).collaborators["maintainer"] = "write"
    pushed(house, repo, without_permission, DOCUMENT)
    for number in (gone, rebased, without_permission):
        assert check(house, repo, number)[0] == "failure"
        assert [each.ended_by for each in trail(house, repo, number)] == ["a push"]


# Rounds

TWO = "mode: enforce\npulls: {rounds: 2}\n"
ASKED = "a person should decide"


def test_after_so_many_bounced_commits_a_maintainer_is_asked_once(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house, TWO)
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert check(house, repo)[0] == "failure", "the same commit again is no further round"
    for times in (2, 3):
        pushed(house, repo, number, {"half.py": f"x = {times}\n"})
        assert check(house, repo) == ("action_required", f"Bounced {times} times: a maintainer should decide")
    assert ASKED in house.spoken(repo, number)
    assert house.issue(repo, number).labels == ("bounced",)
    house.say(repo, number, "/bouncer override It is right.", by="maintainer")
    assert check(house, repo) == ("success", "Overridden by maintainer")
    told.stood = PLAUSIBLE
    pushed(house, repo, number, {"half.py": CODE})
    assert check(house, repo)[0] == "success"
    assert house.issue(repo, number).labels == ()


def test_an_advised_round_blocks_nobody(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house, "mode: advise\npulls: {rounds: 1}\n")
    assert check(house, repo) == ("neutral", "Bounced once: a maintainer should decide")
    house.github.delete_comment(repo, house.issue(repo, number).comments[0].id)
    pushed(house, repo, number, {"half.py": "x = 1\n"})
    assert house.spoken(repo, number) == "", "one comment, also when somebody deleted it"


def test_what_could_not_be_judged_is_no_round(house: House, told: Told) -> None:
    repo, number = propose(house, "mode: enforce\npulls: {rounds: 1}\n", code="wrong = 1\n")
    assert check(house, repo)[1].startswith("Could not be judged")
    assert house.spoken(repo, number) == ""


# A policy that is broken


@pytest.mark.parametrize(
    ("before", "conclusion"),
    [(ENFORCE, "failure"), *([("mode: advise\n", "neutral")] if EVERY_TRICK else []), (None, "action_required")],
)
def test_a_broken_policy_opens_no_gate(house: House, told: Told, before: str | None, conclusion: str) -> None:
    told.stood = BREAKS
    if before is None:
        repo = house.repository(BROKEN)
    else:
        repo, _ = propose(house, before)
        house.github.push(repo, {PATH: BROKEN})
        house.settle()
    number = house.propose(repo, "Again", {"half.py": "x = 2\n"}, by=AGENT)
    assert check(house, repo, number)[0] == conclusion
    if before is None:
        assert check(house, repo, number)[1] == "The policy is invalid: nothing is judged"
        house.github.push(repo, {PATH: "mode: advise\n"})
        house.settle()
        said = "Would be bounced: This change breaks a test that passes without it: test_half."
        assert check(house, repo, number) == ("neutral", said)


def test_the_mend_of_an_owners_policy_has_judged_what_waited_for_it(house: House, told: Told) -> None:
    """And leaves alone what was judged, is closed, a draft, or somebody else's."""
    defaults = house.repository(BROKEN, name=".github")
    owner = defaults.partition("/")[0]
    repo, other = house.repository(owner=owner), house.repository(BROKEN)
    house.github.install(owner, [defaults, repo])
    for name in (repo, other):
        house.github.open_pull(name, "Halve", {"half.py": CODE}, by=AGENT)
    house.github.open_pull(repo, "Draft", {"draft.py": CODE}, by=AGENT)
    house.github.convert_to_draft(repo, 2)
    house.settle()
    told.checked.clear()
    house.github.push(defaults, {PATH: ENFORCE})
    house.settle()
    assert [wanted.repository.full_name for wanted in told.checked] == [repo]
    assert check(house, repo, 1)[0] == "success"
    assert check(house, repo, 2)[1] == "A draft: judged when it is ready for review"
    assert check(house, other, 1)[1] == "The policy is invalid: nothing is judged"
    house.github.push(defaults, {PATH: f"{ENFORCE}# once more\n"})
    house.settle()
    assert len(told.checked) == 1


def test_a_policy_that_was_taken_away_holds_no_more(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house, ENFORCE)
    house.github.push(repo, {PATH: None})
    house.settle()
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert check(house, repo)[0] == "neutral"


# Two pull requests with one commit


def two(house: House, told: Told, *, base: str = "") -> tuple[str, int, int]:
    told.stood = BREAKS
    repo, first = propose(house)
    if base:
        house.github.push(repo, {"base.txt": "x"}, branch=base)
    second = house.propose(repo, "The same", {}, branch=f"change-{first}", base=base, by=AGENT)
    return repo, first, second


def labelled(house: House, repo: str, *numbers: int) -> list[bool]:
    return [house.issue(repo, number).labels == ("bounced",) for number in numbers]


@pytest.mark.parametrize("base", ["", *(["stable"] if EVERY_TRICK else [])])
def test_an_override_of_one_lets_only_that_one_through(house: House, told: Told, base: str) -> None:
    repo, first, second = two(house, told, base=base)
    house.say(repo, first, "/bouncer override Fine here.", by="maintainer")
    assert check(house, repo)[0] == "failure", "the other is still held back, and they share the check"
    assert labelled(house, repo, first, second) == [False, True]
    house.say(repo, second, "/bouncer override Please.", by="contributor")
    assert check(house, repo)[0] == "failure"
    assert trail(house, repo, second) == ()
    house.github.close_issue(repo, second)
    house.settle()
    assert check(house, repo) == ("success", "Overridden by maintainer")
    house.github.reopen_issue(repo, second)
    house.settle()
    assert check(house, repo)[0] == "failure"


def test_the_button_means_each_by_its_own_rules(house: House, told: Told) -> None:
    repo, first, second = two(house, told)
    third = house.propose(repo, "A person's", {}, branch=f"change-{first}", by="contributor")
    house.github.close_issue(repo, second)
    house.settle()
    run = next(run for run in house.github.checks(repo) if run.name == NAME)
    house.github.press(repo, run.id, "override", by="triager")
    house.settle()
    assert [len(trail(house, repo, number)) for number in (first, second, third)] == [0, 0, 0]
    house.github.press(repo, run.id, "override", by="maintainer")
    house.settle()
    assert [len(trail(house, repo, number)) for number in (first, second, third)] == [1, 0, 1]
    assert check(house, repo)[0] == "success"
    passed = house.github.repo(repo).checks[run.id]
    assert [each["label"] for each in passed.actions] == ["Re-check"], "nothing is left to let through"


def test_a_push_to_one_leaves_the_others_check_alone(house: House, told: Told) -> None:
    repo, first, second = two(house, told)
    head = house.services.gates.get(house.github.repo(repo).id, first)
    assert head is not None
    house.github.repo(repo).issues[second].pull.head_branch = "elsewhere"  # type: ignore[union-attr]
    told.stood = PLAUSIBLE
    pushed(house, repo, first, {"half.py": "x = 1\n"})
    old = [run for run in house.github.checks(repo) if run.head_sha == head.head and run.name == NAME]
    assert [run.conclusion for run in old] == ["failure"]
    assert check(house, repo, first)[0] == "success"


# Words


def test_edits_count_by_what_they_add_and_who_made_them(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    word = "/bouncer override Fine."
    comment = house.say(repo, number, "Hm, /bouncer?", by="contributor")
    house.github.edit_comment(repo, comment, word, by="contributor")
    house.settle()
    assert trail(house, repo, number) == ()
    house.clock.advance(seconds=2)  # GitHub tells times by the second
    house.github.edit_comment(repo, comment, f"{word}\n\nThanks!", by="maintainer")
    house.settle()
    assert trail(house, repo, number) == (), "the maintainer added another line"
    house.clock.advance(seconds=2)
    house.github.edit_comment(repo, comment, f"{word}\n\nThanks!\n\n{word}", by="maintainer")
    house.settle()
    assert [each.who for each in trail(house, repo, number)] == ["maintainer"]
    house.github.delete_comment(repo, comment, by="contributor")
    house.settle()
    assert check(house, repo)[0] == "success", "the record stays"


@pytest.mark.parametrize("seconds", [60, 0], ids=["older", "of the same second"])
def test_a_word_that_is_older_than_the_commit_is_not_about_it(house: House, told: Told, seconds: int) -> None:
    """It was held up on its way, and the agent pushed meanwhile: within a second nobody knows what was first."""
    told.stood = BREAKS
    repo, number = propose(house)
    house.github.comment(repo, number, "/bouncer override Fine.", by="maintainer")
    late = house.github.deliveries[-1]
    assert late.event == "issue_comment"
    house._fed = len(house.github.deliveries)  # it did not arrive
    house.clock.advance(seconds=seconds)
    pushed(house, repo, number, {"half.py": "x = 'something else'\n"})
    found = read(late.event, late.payload)
    assert isinstance(found, Delivery)
    house.services.inbox.claim(late.guid, found, now=house.clock())
    house.settle()
    assert trail(house, repo, number) == ()
    assert check(house, repo)[0] == "failure"
    assert "older than the newest commit" in (said := house.answer(repo, number)) and "of the same second" in said
    house.clock.advance(seconds=1)
    house.say(repo, number, "/bouncer override This one too.", by="maintainer")
    assert check(house, repo)[0] == "success"


def test_a_locked_one_is_judged_and_let_through_without_a_word(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    house.github.lock_issue(repo, number)
    pushed(house, repo, number, DOCUMENT)
    assert len(told.checked) == 2
    house.say(repo, number, "/bouncer override Please.", by="stranger")
    assert check(house, repo)[0] == "failure"
    house.say(repo, number, "/bouncer explain\n\n/bouncer override Fine.", by="maintainer")
    assert house.spoken(repo, number) == ""
    assert check(house, repo)[0] == "success"


# What else may happen to a pull request


def test_back_to_a_draft_and_reopened(house: House, told: Told) -> None:
    repo, number = propose(house)
    house.github.convert_to_draft(repo, number)
    house.settle()
    assert check(house, repo) == ("action_required", "A draft: judged when it is ready for review")
    shared = house.propose(repo, "A person's", {}, branch=f"change-{number}", by="contributor")
    assert check(house, repo, shared)[0] == "action_required", "the draft's commit passes for nobody"
    house.github.close_issue(repo, number)
    house.settle()
    assert check(house, repo, shared)[0] == "success"
    house.github.ready_for_review(repo, number)
    house.github.reopen_issue(repo, number)
    house.settle()
    assert check(house, repo)[0] == "success"
    assert check(house, repo)[1].startswith("Plausible")


def test_a_renamed_repository_goes_on(house: House, told: Told) -> None:
    repo, number = propose(house)
    record = house.services.gates.get(house.github.repo(repo).id, number)
    assert record is not None
    house.services.gates.save(replace(record, state=type(record.state).JUDGING, due_at=house.clock()))
    new = f"{repo}-renamed"
    house.github.rename_repository(repo, new.partition("/")[2])
    house.tick(minutes=2)
    assert check(house, new)[1] == "Could not be judged: it took too long"
    house.say(new, number, "/bouncer recheck", by="maintainer")
    assert check(house, new)[0] == "success"
