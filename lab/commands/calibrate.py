"""`bouncer calibrate`: what a judge's labels are worth on this server, or in one repository of it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.commands.shared import InputError, Refusing, json_option
from bot.judges.calibration.calibration import Calibration, CalibrationSource
from bot.plain_text import clean
from bot.rendering.precision import removal_words
from bot.settings import load, split_names
from bot.storage.calibrations import SERVER, Calibrations
from bot.storage.database import Database, absent_file
from bot.storage.repositories import repository_names
from bot.storage.retention import Retention
from lab.commands.calibrate_view import (
    acts_document,
    acts_lines,
    calibration_lines,
    fit_document,
    fit_lines,
    joint_document,
    joint_lines,
    make_plotter,
    read_judged,
)
from lab.data.files import TO_BE_BOUNCED, DataError
from lab.data.recorded_labels import RecordedLabels, read_labels
from lab.fitting.from_acts import ActsFitted, calibrate_from_acts
from lab.fitting.from_labels import Fitted, JointFit, LabelledAnswer, fit_calibration, fit_jointly
from lab.fitting.labels import Labelled
from lab.fitting.reliability import reliability
from lab.scores.replay import with_vote

_ONE = "Give exactly one of --labels FILE.csv, --from-reports, --show and --forget."
_CSV = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a calibration counts. number: `SERVER`, or the repository's. name: empty for the server."""

    number: int = SERVER
    name: str = ""

    def __str__(self) -> str:
        return clean(self.name) or "the whole server"


@click.command(cls=Refusing, said="calibrate")
@click.option("--labels", type=_CSV, help="Labels of one or more judges beside people's (CSV).")
@click.option("--vote", multiple=True, metavar="A,B,…", help="With --labels: models that vote. May be repeated.")
@click.option("--from-reports", is_flag=True, help="Learn from what maintainers did after bounces.")
@click.option("--show", is_flag=True, help="Show what is in force.")
@click.option("--forget", is_flag=True, help="Go back to what comes with Bouncer.")
@click.option("--repo", metavar="OWNER/NAME", help="For this repository, and not for the whole server.")
@click.option("--apply", "apply_", is_flag=True, help="Store it, so that it counts from now on.")
@click.option("--plots", type=_FOLDER, help="Draw the diagrams as PNG into this directory, too.")
@json_option
def calibrate(
    labels: Path | None,
    vote: tuple[str, ...],
    from_reports: bool,
    show: bool,
    forget: bool,
    repo: str | None,
    apply_: bool,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Learn what a judge's labels are worth, from people's labels or from what maintainers did.

    Without --apply nothing is stored. Exit status: 0 when it was learnt, shown or forgotten, 2 for bad input.
    """
    if sum((labels is not None, from_reports, show, forget)) != 1:
        raise InputError(_ONE)
    if apply_ and (show or forget):
        raise InputError("--apply goes with --labels and --from-reports.")
    if vote and not labels:
        raise InputError("--vote goes with --labels: name the file that has a column for each model.")
    if plots and not labels:
        raise InputError("--plots goes with --labels: without people's labels there is nothing to draw.")
    if labels:
        recorded = read_labels(labels)
        for group in vote:
            recorded = with_vote(recorded, split_names(group))
        _from_labels(recorded, repo, apply_, plots, as_json)
    elif from_reports:
        _from_reports(repo, apply_, as_json)
    elif show:
        _show(repo, as_json)
    else:
        _forget(repo, as_json)


def _from_labels(recorded: RecordedLabels, repo: str | None, apply_: bool, plots: Path | None, as_json: bool) -> None:
    draw = make_plotter(plots) if plots else None  # looked for before the work, so that nothing is stored in vain
    place = _Place(name=repo or "")
    if apply_:
        with _database() as database:
            place = _place(database, repo)
    judges = (*recorded.models, *recorded.together)
    fitted = {judge: fit for judge in judges if (fit := _fit(recorded, judge, place.name))}
    if not fitted:
        raise InputError("In this file no judge has a label.")
    joint = _joint(recorded, tuple(model for model in recorded.models if model in fitted))
    told = {name: reliability(each.unseen, each.bounce) for name, each in fitted.items()}
    if joint:
        told["all judges"] = reliability(joint.unseen, joint.bounce)
    drawn = draw(told) if draw else []
    if apply_:
        _store([fit.calibration for fit in fitted.values()], place)
    if as_json:
        rows = [fit_document(name, fit, told[name]) for name, fit in fitted.items()]
        together = joint_document(joint, told["all judges"]) if joint else None
        stored = str(place) if apply_ else None
        click.echo(json.dumps({"judges": rows, "all_judges": together, "stored_for": stored, "plots": drawn}))
        return
    for name, fit in fitted.items():
        click.echo("\n".join([*fit_lines(name, fit, told[name]), ""]))
    if joint:
        click.echo("\n".join([*joint_lines(joint, told["all judges"]), ""]))
    for path in drawn:
        click.echo(f"Drawn: {clean(path, 300)}")
    click.echo(f"Stored for {place}." if apply_ else "Nothing is stored. --apply stores it.")


def _fit(recorded: RecordedLabels, model: str, repository: str) -> Fitted | None:
    """`None` where this judge answered nothing."""
    answers = [
        LabelledAnswer(issue.repository, issue.grades[model], issue.human >= TO_BE_BOUNCED)
        for issue in recorded.issues
        if model in issue.grades
    ]
    try:
        return fit_calibration(model, answers, datetime.now(UTC), repository=repository) if answers else None
    except ValueError as error:
        raise DataError(f"{clean(model)}: {error}.") from None


def _joint(recorded: RecordedLabels, judges: tuple[str, ...]) -> JointFit | None:
    """All judges together, with the evidence beside them, where there is more than one judge's labels and there are
    enough repositories."""
    issues = [
        Labelled(issue.repository, issue.human >= TO_BE_BOUNCED, issue.grades, issue.evidence)
        for issue in recorded.issues
        if issue.grades
    ]
    if len(judges) < 2 and not recorded.evidence:
        return None
    try:
        return fit_jointly(issues, judges, recorded.evidence)
    except ValueError:
        return None


def _store(calibrations: list[Calibration], place: _Place) -> None:
    named = [each.judge for each in calibrations]
    if twice := sorted({name for name in named if named.count(name) > 1}):
        raise InputError(f"Two columns are the same judge, {clean(twice[0])}. Leave one out.")
    with _database() as database:
        for each in calibrations:
            Calibrations(database).keep(place.number, each)


def _from_reports(repo: str | None, apply_: bool, as_json: bool) -> None:
    with _database() as database:
        place, store = _place(database, repo), Calibrations(database)
        removed = Retention(database).count_removed(None if place.number == SERVER else place.number)
        found: dict[str, ActsFitted] = {}
        for judge, issues in read_judged(database, place.name).items():
            before = store.from_labels(place.number, judge)
            if removed.count:
                before = _no_looser(before, store.in_force(place.number, judge), place.name)
            found[judge] = calibrate_from_acts(judge, issues, before, datetime.now(UTC), repository=place.name)
        if not found:
            raise InputError(f"No issue was judged for people to see in {place}, so nobody could say anything of it.")
        kept = [each.calibration for each in found.values() if each.changes] if apply_ else []
        for calibration in kept:
            store.keep(place.number, calibration)
    if as_json:
        rows = [acts_document(judge, each) for judge, each in found.items()]
        stored = str(place) if kept else None
        click.echo(json.dumps({"judges": rows, "stored_for": stored, "removed": removed.count}))
        return
    if removed.count:
        click.echo(f"{removal_words(removed)} A threshold that was moved before is not moved back.\n")
    for judge, each in found.items():
        click.echo("\n".join([*acts_lines(judge, each), ""]))
    if kept:
        click.echo(f"Stored for {place}: {', '.join(clean(calibration.judge) for calibration in kept)}.")
    elif not any(each.changes for each in found.values()):
        click.echo("Maintainers' actions give no reason to change anything; nothing is stored.")
    else:
        click.echo("Nothing is stored. --apply stores it.")


def _no_looser(labels: Calibration | None, in_force: Calibration | None, name: str) -> Calibration | None:
    """What acts are weighed against where older ones were removed by age: the cuts that those moved stay. labels: what
    is weighed against without them."""
    if in_force is None or in_force.source is not CalibrationSource.ACTS or in_force.repository != name:
        return labels
    points = (labels.points if labels else {}) | in_force.points
    return replace(in_force, labels=labels.labels if labels else {}, points=points)


def _show(repo: str | None, as_json: bool) -> None:
    with _database() as database:
        place = _place(database, repo)
        kept = [each for each in Calibrations(database).all() if not repo or each.repository == place.name]
    if as_json:
        from pydantic import TypeAdapter

        click.echo(json.dumps({"calibrations": TypeAdapter(list[Calibration]).dump_python(kept, mode="json")}))
        return
    if not kept:
        else_ = "the server's calibration, or " if repo else ""
        click.echo(f"Nothing is stored for {place}, so {else_}Bouncer's default counts.")
    for each in kept:
        click.echo("\n".join([*calibration_lines(each), ""]))


def _forget(repo: str | None, as_json: bool) -> None:
    with _database() as database:
        place = _place(database, repo)
        many = Calibrations(database).forget(place.number)
    if as_json:
        click.echo(json.dumps({"forgotten": many}))
    else:
        click.echo(f"Forgotten for {place}: {many} {'calibration' if many == 1 else 'calibrations'}.")


@contextmanager
def _database() -> Iterator[Database]:
    """The server's, of this version. Raises `InputError` and `DatabaseError`."""
    url = load().database_url
    if absent := absent_file(url):
        raise InputError(f"There is no {absent} yet: `bouncer migrate` makes the tables, or set BOUNCER_DATABASE_URL.")
    database = Database.open(url)
    try:
        database.check()
        yield database
    finally:
        database.close()


def _place(database: Database, repo: str | None) -> _Place:
    if not repo:
        return _Place()
    found = {name.lower(): _Place(number, name) for number, name in repository_names(database).items()}
    if repo.lower() not in found:
        raise InputError(f"This server knows no repository {clean(repo)}. Is it spelled OWNER/NAME?")
    return found[repo.lower()]
