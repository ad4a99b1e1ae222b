"""Whose pull request it is: every sign of a coding agent, and everything that looks like one and is none."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.policy import Agents, PullRules
from bot.policy_choices import Scope
from bot.pulls.agents import Authorship, authorship
from bot.pulls.known_agents import KNOWN_AGENTS, LABELS, SERVICE_BOTS
from bot.pulls.proposal import CommitText, Proposal
from tests.support.cases import cases
from tests.support.properties import patient

HUMAN_EMAIL = "ada@example.com"
CLAUDE = "Co-authored-by: Claude <noreply@anthropic.com>"
SIGNATURE = "🤖 Generated with [Claude Code](https://claude.com/claude-code)"


def commit(message: str = "Round up", name: str = "Ada Lovelace", email: str = HUMAN_EMAIL) -> CommitText:
    return CommitText("a" * 40, name, email, message)


def proposal(
    author: str = "ada",
    *,
    bot: bool | None = None,
    branch: str = "round-up",
    body: str = "",
    labels: tuple[str, ...] = (),
    commits: tuple[CommitText, ...] = (commit(),),
) -> Proposal:
    return Proposal(
        number=3,
        title="Round up",
        body=body,
        author=author,
        author_is_bot=author.endswith("[bot]") if bot is None else bot,
        branch=branch,
        labels=labels,
        commits=commits,
    )


def judged(given: Proposal, scope: Scope = Scope.AGENTS, **agents: tuple[str, ...]) -> Authorship:
    return authorship(given, PullRules(scope=scope, agents=Agents(**agents)))


# Who opened it


@cases
def test_an_agents_account(author: str, bot: bool, reason: str) -> None:
    assert judged(proposal(author, bot=bot)) == Authorship(True, (reason,), True)


@pytest.mark.parametrize("author", [f"{bot}[bot]" for bots in SERVICE_BOTS.values() for bot in bots])
def test_a_bot_that_keeps_house_is_no_coding_agent(author: str) -> None:
    found = judged(proposal(author))
    assert (found.agent, found.in_scope) == (False, False)
    assert re.fullmatch(
        rf"Its author `{re.escape(author)}` is a bot that .*, which is no coding agent's work\.", *found.reasons
    )


def test_what_a_house_bot_describes_it_takes_from_others_but_its_commits_are_its_own() -> None:
    notes = f"Bumps widgets to 2.0\n\n{SIGNATURE}\n"
    assert not judged(proposal("dependabot[bot]", body=notes)).agent
    pushed = (commit("Bump widgets", "dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"),)
    assert not judged(proposal("dependabot[bot]", branch="dependabot/pip/widgets-2.0", commits=pushed)).agent
    mended = judged(proposal("dependabot[bot]", commits=(*pushed, commit(f"Mend the build\n\n{CLAUDE}"))))
    assert mended.agent
    assert mended.reasons[0] == "1 of its 2 commits names Claude Code as author, as co-author or in a closing line."
    workflow = judged(proposal("github-actions[bot]", branch="openhands-fix-issue-3"))
    assert workflow.agent, "agents also run in workflows"


@pytest.mark.parametrize("author", ["devin-ai-integration", "claude", "Copilot", "codex"])
def test_a_person_who_is_called_like_a_bot(author: str) -> None:
    found = judged(proposal(author, bot=False))
    assert not found.agent
    assert re.fullmatch(rf"Its author `{author}` has the name of .*'s bot but is another account\.", *found.reasons)


def test_a_bot_that_is_called_nearly_like_another_is_not_that_one() -> None:
    for author in ("dependab0t[bot]", "dependabot-updates[bot]", "renovate-bot[bot]"):
        assert "does not know" in judged(proposal(author)).reasons[0]
    assert not judged(proposal("dependabot", bot=False)).agent


def test_a_bracket_is_proof_of_a_bot_whatever_the_type_says() -> None:
    assert judged(proposal("devin-ai-integration[bot]", bot=False)).agent


# Branch and labels


@pytest.mark.parametrize("branch", [f"{prefix}x" for agent in KNOWN_AGENTS for prefix in agent.branches])
def test_an_agents_branch(branch: str) -> None:
    found = judged(proposal(branch=branch))
    assert found.agent and re.fullmatch(r"Its branch begins with `.*`, as those of .* do\.", *found.reasons)
    assert judged(proposal(branch=branch.title())).agent


@pytest.mark.parametrize("branch", ["my-copilot/x", "codex", "codex/", "copilots/x", "fix-cursor/blink", "claude", ""])
def test_a_branch_that_only_has_the_word(branch: str) -> None:
    assert not judged(proposal(branch=branch)).agent


def test_a_branch_named_after_a_person_is_theirs() -> None:
    claude = commit(name="Claude Dupont", email="claude@example.com")
    assert not judged(proposal("claude-dupont", branch="claude/round-up")).agent
    assert not judged(proposal("cdupont", branch="claude/round-up", commits=(claude,))).agent
    machine = commit(name="Claude", email="noreply@anthropic.com")
    assert len(judged(proposal("ada", branch="claude/round-up", commits=(machine,))).reasons) == 2


@pytest.mark.parametrize("label", LABELS)
def test_a_label_that_says_it(label: str) -> None:
    assert judged(proposal(labels=("bug", label.upper()))).reasons == (f"It carries the label `{label}`.",)


def test_a_label_that_may_be_a_topic_says_nothing() -> None:
    assert not judged(proposal(labels=("cursor", "codex", "claude", "ai", "agents"))).agent


# Commits


@pytest.mark.parametrize(
    ("email", "name"),
    [
        *((address, agent.name) for agent in KNOWN_AGENTS for address in agent.addresses),
        *((f"123+{bot}[bot]@users.noreply.github.com", agent.name) for agent in KNOWN_AGENTS for bot in agent.bots),
        ("devin-ai-integration[bot]@users.noreply.github.com", "Devin"),
        ("198982749+Copilot@users.noreply.github.com", "GitHub Copilot"),
    ],
)
def test_an_agents_address_as_author_or_co_author(email: str, name: str) -> None:
    reason = f"Its only commit names {name} as author, as co-author or in a closing line."
    assert judged(proposal(commits=(commit(name="Anyone", email=email),))).reasons == (reason,)
    trailer = f"Round up\n\nFixes #3\nCo-Authored-By: Anyone At All (1M context) <{email}>"
    assert judged(proposal(commits=(commit(trailer),))).reasons == (reason,)


def test_aider_keeps_the_name_of_whoever_runs_it() -> None:
    assert judged(proposal(commits=(commit(name="Ada Lovelace (aider)"),))).agent
    assert not judged(proposal(commits=(commit(name="Ada (aider) Lovelace"), commit(name="aider")))).agent


@cases
def test_a_trailer_or_signature_that_closes_a_message(message: str) -> None:
    assert judged(proposal(commits=(commit(message),))).agent


@cases
def test_a_message_that_mentions_or_quotes(message: str) -> None:
    assert not judged(proposal(commits=(commit(message),))).agent


def test_commits_are_counted_for_each_agent() -> None:
    commits = (*[commit(f"x\n\n{CLAUDE}\n{CLAUDE}")] * 2, commit("y\n\nMade-with: Cursor"), commit(), commit())
    assert judged(proposal(commits=commits)).reasons == (
        "2 of its 5 commits name Claude Code as author, as co-author or in a closing line.",
        "1 of its 5 commits names Cursor as author, as co-author or in a closing line.",
    )


# The description


@cases
def test_a_signed_description(body: str, name: str) -> None:
    assert judged(proposal(body=body)).reasons == (f"Its description contains {name}'s signature.",)


@cases
def test_a_description_that_mentions_or_quotes(body: str) -> None:
    assert judged(proposal(body=body)) == Authorship(False, ("Nothing shows that a coding agent made it.",), False)


# The policy


def test_the_policy_adds_agents() -> None:
    assert judged(proposal("House-Coder"), logins=("house-coder",)).reasons == (
        "The policy counts its author `House-Coder` as a coding agent.",
    )
    assert judged(proposal(branch="Robots/round-up"), branches=("robots/",)).reasons == (
        "Its branch begins with `robots/`, which the policy says coding agents' branches do.",
    )
    assert judged(proposal(labels=("Made by a machine",)), labels=("made by a machine",)).reasons == (
        "It carries the label `made by a machine`, with which the policy marks coding agents.",
    )
    assert not judged(proposal(), logins=("grace",), branches=("robots/",), labels=("robot",)).agent
    assert judged(proposal("renovate[bot]"), logins=("renovate[bot]",)).agent


def test_the_policy_exempts_whatever_else_is_seen() -> None:
    signed = proposal(
        "Ada", branch="codex/x", body=SIGNATURE, labels=("ai-generated",), commits=(commit(f"x\n\n{CLAUDE}"),)
    )
    assert judged(signed).agent
    reason = "The policy says that `Ada` is no coding agent."
    assert judged(signed, exempt=("ada",), logins=("ada",)) == Authorship(False, (reason,), False)
    assert not judged(proposal("acme-release[bot]"), exempt=("acme-release[bot]",)).agent


@cases
def test_scope(author: str, scope: Scope, in_scope: bool) -> None:
    found = judged(proposal(author), scope)
    assert found.in_scope is in_scope
    assert found.agent is (author == "claude[bot]")


# The table, and any input


def test_the_table_is_in_lower_case_and_names_nothing_twice() -> None:
    agents = KNOWN_AGENTS
    for words in (
        [bot for agent in agents for bot in agent.bots] + [bot for bots in SERVICE_BOTS.values() for bot in bots],
        [word for agent in agents for word in agent.branches],
        [word for agent in agents for word in agent.addresses],
        [word for agent in agents for word in agent.lines],
    ):
        assert words == [word.lower() for word in words]
        assert len(words) == len(set(words))
    assert all(agent.bots or agent.users or agent.branches or agent.addresses for agent in agents)


_text = st.lists(
    st.sampled_from(
        [
            SIGNATURE,
            CLAUDE,
            "Made-with: Cursor",
            "\n",
            "\n\n",
            "> ",
            "```",
            "`",
            "<details>",
            "\r",
            "x",
            "*",
            "[",
            "\x00",
        ]
    )
).map("".join)


@patient
@given(st.text(max_size=30), st.booleans(), _text, _text, st.text(max_size=30))
def test_any_text_gives_reasons_without_a_strangers_markup(
    author: str, bot: bool, body: str, message: str, other: str
) -> None:
    commits = (commit(message, other, other),)
    found = judged(proposal(author, bot=bot, body=body, branch=other, labels=(other,), commits=commits))
    assert found.reasons
    for reason in found.reasons:
        assert reason.count("`") % 2 == 0 and reason.isprintable() and len(reason) < 200


def test_long_hostile_texts_are_read_once() -> None:
    parts = (
        "co-authored-by: ",
        "a: b\n",
        f"{CLAUDE}\n",
        "[a](",
        "> " * 50 + "\n",
        "```\n",
        "\n\n",
        "*",
        "<details>",
        "` ",
    )
    for part in parts:
        text = part * (20_000 // len(part))
        judged(proposal(body=text, branch=text, commits=(commit(text, text, text),) * 5))
