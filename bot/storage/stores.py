"""All stores of a database."""

from dataclasses import dataclass, fields
from typing import Any

from bot.storage.calibrations import Calibrations
from bot.storage.database import Database
from bot.storage.endings import Endings
from bot.storage.fixes import Fixes
from bot.storage.gates import CheckRuns, Gates, MergeGroups
from bot.storage.heartbeats import Apps, WorkerSigns
from bot.storage.inbox import Inbox
from bot.storage.installations import Installations
from bot.storage.judgements import Judgements, Rejections
from bot.storage.ledger import Disagreements, Ledger
from bot.storage.named_locks import Commands, Turns
from bot.storage.overrides import Overrides
from bot.storage.pull_authors import Makers, Pushes
from bot.storage.repositories import Repositories
from bot.storage.repository_files import Policies, TemplateFiles
from bot.storage.retention import Retention
from bot.storage.subjects import Subjects
from bot.storage.verification import Answers, Reviews
from bot.storage.welcomes import Welcomes


@dataclass(frozen=True, slots=True)
class Stores:
    """Each by what it keeps."""

    inbox: Inbox
    subjects: Subjects
    ledger: Ledger
    disagreements: Disagreements
    endings: Endings
    installations: Installations
    repositories: Repositories
    rejections: Rejections
    commands: Commands
    policies: Policies
    templates: TemplateFiles
    welcomes: Welcomes
    calibrations: Calibrations
    reviews: Reviews
    answers: Answers
    gates: Gates
    overrides: Overrides
    makers: Makers
    pushes: Pushes
    merge_groups: MergeGroups
    check_runs: CheckRuns
    turns: Turns
    judgements: Judgements
    fixes: Fixes
    retention: Retention
    signs: WorkerSigns
    apps: Apps


def open_stores(database: Database) -> dict[str, Any]:
    """Those of a database, by the name of the field. Nothing connects yet."""
    return {field.name: field.type(database) for field in fields(Stores)}  # type: ignore[operator]
