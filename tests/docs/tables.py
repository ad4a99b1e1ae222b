"""Tables in docs/, and the rows the code says they should have."""

import json
from collections.abc import Iterator
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import click
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from bot.changes.risks.catalogue import NAMED_RISKS
from bot.cli import main
from bot.commands.action import WITHOUT_EFFECT
from bot.judges.offline.rules import RULES
from bot.live.precision import LATELY, MISSED, WORDS, Event
from bot.policy import Policy
from bot.policy_file import schema
from bot.pulls.known_agents import KNOWN_AGENTS
from bot.registry import EXECUTORS
from bot.rendering.words import CASES, ISSUE_COMMANDS, PULL_COMMANDS, CommandHelp
from bot.sandbox import seccomp
from bot.settings import Settings
from bot.verdicts import Decision
from bot.verification.evidence import ROWS, EvidenceRow, Jury
from bot.verification.testing.tools import TEST_TOOLS
from bot.verification.trial.times import PARTS
from tests.docs.reasons import reasons_told
from tests.docs.refusals import refusals

DOCS = Path(__file__).parents[2] / "docs"
POLICY_TABLE = "| key | value | default | meaning |"
SETTINGS_TABLE = "| variable | default | meaning |"
EXECUTORS_TABLE = "| value | where code runs | choose it when |"
EVENTS_TABLE = "| after a bounce | says | counts within |"
MISSED_TABLE = "| after an accepted pull request | counts within |"
RISKS_TABLE = "| risk | what changed |"
COMMANDS_TABLE = "| command | who | what it does |"
TOOLS_TABLE = "| test tool | language | needs |"
COMMAND_LINE_TABLE = "| command | what it does | options |"
CASES_TABLE = "| case | means |"
EVIDENCE_TABLE = "| who claims | what ran | blind judges | the rejection | the gate |"
BENCH_TABLE = "| benchmark | what it does | options |"
REASONS_TABLE = "| a reason, such as |"
REFUSALS_TABLE = "| a message, `…` for what differs |"
PLAN_TABLE, PRICES_TABLE = "| repositories | database |", "| model | a million tokens in, out |"  # their beginnings
RULES_TABLE = "| rule | the comment says |"
WITHOUT_EFFECT_TABLE = "| key | because |"
AGENTS_TABLE = "| coding agent | known by |"
PARTS_TABLE = "| what runs | without it nobody knows | seconds it needs | share of the time |"
GENERATED = (
    *(POLICY_TABLE, SETTINGS_TABLE, EXECUTORS_TABLE, EVENTS_TABLE, MISSED_TABLE),
    *(RISKS_TABLE, COMMANDS_TABLE, TOOLS_TABLE, BENCH_TABLE),
    *(PLAN_TABLE, PRICES_TABLE, COMMAND_LINE_TABLE, CASES_TABLE, REFUSALS_TABLE, REASONS_TABLE),
    *(RULES_TABLE, WITHOUT_EFFECT_TABLE, AGENTS_TABLE, EVIDENCE_TABLE, PARTS_TABLE),
)


def written(page: str, heading: str) -> list[str]:
    """The rows of the table below this heading line."""
    below = (DOCS / page).read_text().split(f"{heading}\n")[1].splitlines()[1:]
    return list(takewhile(lambda line: line.startswith("|"), below))


def policy_rows() -> list[str]:
    """One row a key of the policy: key, what it takes, default, meaning."""
    return [
        f"| `{key}` | {_takes(field.annotation)} | {_default(field)} | {field.description} |"
        for key, field in _leaves(Policy, "")
    ]


def settings_rows() -> list[str]:
    """One row a setting: variable, default, meaning."""
    return [
        f"| `BOUNCER_{name.upper()}` | {_default(field)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]


def tool_rows() -> list[str]:
    """One row a test tool of another language than Python."""
    return [f"| {tool.name} | {tool.language} | `{tool.program}` |" for tool in TEST_TOOLS]


def commands(group: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it."""
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from commands(command, f"{path} {name}".strip())
    yield path, group


def command_line_rows(*, bench: bool = False) -> list[str]:
    """One row a command of the terminal, in the words of its `--help`. bench: the benchmarks, else all others."""
    return [
        f"| `bouncer {path}` | {_first_sentence(each)} | {' '.join(map(_option, _own_options(each)))} |"
        for path, each in commands(main)
        if not isinstance(each, click.Group) and path.startswith("bench ") == bench
    ]


_SHARED = ("--json", "--judge", "--executor", "--limit", "--jobs", "--yes", "--export")  # the page says what these do


def _first_sentence(command: click.Command) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split()).replace("|", "\\|")


def _own_options(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option) and each.opts[0] not in _SHARED]


def _option(option: click.Option) -> str:
    return f"`{option.opts[0]}`: {' '.join((option.help or '').split())}".replace("|", "\\|")


def case_rows() -> list[str]:
    """One row a case of `bouncer verify`."""
    return [f"| `{case.value}` | {means} |" for case, means in CASES.items()]


def evidence_rows() -> list[str]:
    """One row of the table of evidence, in its own words."""
    return [f"| {' | '.join(_evidence(row))} |" for row in ROWS]


def _evidence(row: EvidenceRow) -> tuple[str, ...]:
    said = "any" if row.jury == tuple(Jury) else "; ".join(row.jury)
    rejection = {Decision.ACCEPT: "is lifted", Decision.BOUNCE: "holds"}.get(row.rejection, "stays open")
    return "; ".join(row.claimants), "; ".join(row.ran), said, rejection, row.gate.value


def reason_rows() -> list[str]:
    """One row a way in which a reason begins, by its shortest sentence."""
    shortest = {told[:20]: told for told in sorted(reasons_told(), key=len, reverse=True)}
    return [f"| {told} |" for told in sorted(shortest.values())]


def refusal_rows() -> list[str]:
    """One row a sentence with which the server refuses something."""
    return [f"| {sentence} |" for sentence in refusals()]


def executor_rows() -> list[str]:
    """One row an executor."""
    return [f"| `{entry.name}` | {entry.says} | {entry.when} |" for entry in EXECUTORS]


def rule_rows() -> list[str]:
    """One row a rule that holds an issue, in the comment's words."""
    return [f"| `{rule.name}` | {rule.says} |" for rule in RULES]


def without_effect_rows() -> list[str]:
    """One row a key of the policy that means nothing in the Action."""
    return [f"| `{key}` | {because} |" for key, because in WITHOUT_EFFECT.items()]


def agent_rows() -> list[str]:
    """One row a coding agent that Bouncer knows, with all its signs."""
    keys = ("logins", "emails", "lines", "markers", "branches", "names", "labels")
    signs = {agent.name: [sign for key in keys for sign in getattr(agent, key)] for agent in KNOWN_AGENTS}
    return [f"| {name} | {', '.join(f'`{sign}`' for sign in known)} |" for name, known in signs.items()]


def risk_rows() -> list[str]:
    """One row a named risk."""
    return [f"| `{name}` | {changed} |" for name, changed in NAMED_RISKS.items()]


def command_rows(commands: tuple[CommandHelp, ...], page: str) -> list[str]:
    """One row a command in a comment, for the page of its place."""
    return [f"| {each.usage} | {each.who} | {_linked(each, page)} |" for each in commands]


def _linked(command: CommandHelp, page: str) -> str:
    return f"{command.does} ([more]({command.page.removeprefix(page)}))" if command.page else command.does


def event_rows() -> list[str]:
    """One row a thing that people do after a bounce: what it says of it, and for how long."""
    return [
        f"| {event} | {word} | {f'{LATELY.days} days' if event is not Event.NOTHING else ''} |"
        for event, word in WORDS.items()
        if event not in MISSED
    ]


def missed_rows() -> list[str]:
    """One row a thing that says that a pull request should have been bounced, and was accepted."""
    return [f"| {event} | {LATELY.days} days |" for event in WORDS if event in MISSED]


def seccomp_profile() -> dict[str, Any]:
    """What a container engine lets Bouncer do so that it can start bubblewrap: namespaces and mounts, but nothing that
    bubblewrap itself is refused."""
    vsock = {"index": 0, "value": 40, "op": "SCMP_CMP_EQ"}
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "syscalls": [
            {"names": sorted(seccomp.ALWAYS), "action": "SCMP_ACT_ERRNO", "errnoRet": 1},
            {"names": ["socket", "socketpair"], "action": "SCMP_ACT_ERRNO", "errnoRet": 97, "args": [vsock]},
        ],
    }


def _leaves(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _leaves(field.annotation, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", field


def _default(field: FieldInfo) -> str:
    if field.default is None or field.default in ("", ()) or isinstance(field.default, SecretStr):
        return ""
    shown = str(field.default) if isinstance(field.default, str | Path) else json.dumps(field.default)
    return f"`{shown}`"


def _takes(annotation: Any) -> str:
    if get_origin(annotation) is Annotated:
        return _takes(get_args(annotation)[0])
    if get_origin(annotation) is tuple:
        return f"list of {_takes(get_args(annotation)[0])}"
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return " ".join(f"`{member}`" for member in annotation)
    names = {bool: "`true` `false`", int: "number", str: "text"}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return ", ".join(f"`{name}`" for name in annotation.model_fields)
    if annotation in names:
        return names[annotation]
    if type(None) in get_args(annotation):
        return _takes(get_args(annotation)[0])
    return " ".join(f"`{str(choice).lower()}`" for choice in get_args(annotation))


def part_rows() -> list[str]:
    least = (f"{each.least:.3g}" if each.least else "" for each in PARTS)
    return [f"| {each.told} | {each.lost} | {it} | {each.share:.3g} |" for each, it in zip(PARTS, least, strict=True)]


def update(page: str, heading: str, rows: list[str]) -> None:
    """Replace the rows below a table's heading."""
    lines = (DOCS / page).read_text().splitlines()
    start = lines.index(heading) + 2
    end = next((at for at in range(start, len(lines)) if not lines[at].startswith("|")), len(lines))
    (DOCS / page).write_text("\n".join([*lines[:start], *rows, *lines[end:]]) + "\n")


if __name__ == "__main__":  # `make docs`
    update("policy.md", POLICY_TABLE, policy_rows())
    update("settings.md", SETTINGS_TABLE, settings_rows())
    update("sandbox.md", EXECUTORS_TABLE, executor_rows())
    update("report.md", EVENTS_TABLE, event_rows())
    update("report.md", MISSED_TABLE, missed_rows())
    update("pull-requests.md", RISKS_TABLE, risk_rows())
    update("issues.md", COMMANDS_TABLE, command_rows(ISSUE_COMMANDS, "issues.md"))
    update("pull-requests.md", COMMANDS_TABLE, command_rows(PULL_COMMANDS, "pull-requests.md"))
    update("test-setup.md", TOOLS_TABLE, tool_rows())
    update("command-line.md", COMMAND_LINE_TABLE, command_line_rows())
    update("command-line.md", BENCH_TABLE, command_line_rows(bench=True))
    update("command-line.md", CASES_TABLE, case_rows())
    update("internals/verification.md", EVIDENCE_TABLE, evidence_rows())
    update("troubleshooting.md", REASONS_TABLE, reason_rows())
    update("troubleshooting.md", REFUSALS_TABLE, refusal_rows())
    update("issues.md", RULES_TABLE, rule_rows())
    update("action.md", WITHOUT_EFFECT_TABLE, without_effect_rows())
    update("internals/agents.md", AGENTS_TABLE, agent_rows())
    update("internals/trial.md", PARTS_TABLE, part_rows())
    (DOCS / "bouncer.schema.json").write_text(json.dumps(schema(), indent=2) + "\n")
    (DOCS / "seccomp-bouncer.json").write_text(json.dumps(seccomp_profile(), indent=2) + "\n")
