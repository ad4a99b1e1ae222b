"""Predictions of many judgements: kept in a journal while the work goes on, written whole at its end, and counted."""

import fcntl
import hashlib
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from rich.console import Console
from rich.progress import track

from bot.commands.shared import InputError, Interrupted
from bot.verdicts import Decision, PatchLabel, SpecificationLabel

NOT_JUDGED = 3
_LABELS = {*SpecificationLabel, *PatchLabel}  # what is counted one by one
S = TypeVar("S")


def journal_path(out: Path) -> Path:
    """Where the journal of a file lies until it is written."""
    return out.with_name(f"{out.name}.partial")


class Journal:
    """What was predicted so far. A run that was cut off is taken up where it ended.

    run: what must be the same for its predictions to count: the input's digest, who judged, and by which cut.
    """

    def __init__(self, path: Path, run: list[str]) -> None:
        self._path = path
        self._head = json.dumps(run)

    def resume(self) -> dict[str, Any]:
        """The predictions of an earlier, cut-off run of the same kind; none where there was no such run."""
        try:
            head, *lines = self._path.read_bytes().decode("utf-8", "replace").split("\n")
        except FileNotFoundError:
            head, lines = "", []
        if head != self._head:
            self._path.write_text(self._head + "\n", encoding="utf-8")
            return {}
        whole = [line for line in lines if _whole(line)]  # a kill may leave half a line, and a full disk worse
        if [*whole, ""] != lines:  # a run beside this one may be reading or adding: touch nothing without need
            write_lines(self._path, [head, *whole])
        return dict(json.loads(line) for line in whole)

    def keep(self, name: str, prediction: dict[str, Any]) -> None:
        """Add one; threads and other runs may do so beside this one."""
        with self._path.open("a", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps([name, prediction], ensure_ascii=True) + "\n")

    def end(self) -> None:
        """All is written where it belongs."""
        self._path.unlink(missing_ok=True)


def _whole(line: str) -> bool:
    try:
        name, prediction = json.loads(line)
    except (TypeError, ValueError):
        return False
    return line.isascii() and isinstance(name, str) and isinstance(prediction, dict)


@contextmanager
def writable(out: Path) -> Iterator[None]:
    """Raises `InputError` where nothing can be written there, and for what the disk refuses meanwhile."""
    if not out.parent.is_dir():
        raise InputError(f"{out}: there is no directory {out.parent}. Make it first.")
    try:
        yield
    except OSError as error:
        raise InputError(f"{out}: {error.strerror}. Name a file that can be written.") from None


def write_whole(path: Path, predictions: dict[str, Any]) -> None:
    """One JSON document, whole or not at all: a reader never sees half a file."""
    write_lines(path, [json.dumps(predictions, ensure_ascii=False, indent=1)])


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """The same for any lines."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def digest(rows: object) -> str:
    """What is to be judged, for a journal's head."""
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def predict_all(
    subjects: Mapping[str, S],
    predict: Callable[[S], dict[str, Any]],
    journal: Journal | None = None,
    *,
    known: Mapping[str, Any] | None = None,
    jobs: int = 1,
    doing: str = "Judging",
) -> dict[str, dict[str, Any]]:
    """Every subject's prediction, in order, with a progress bar on a terminal.

    known: what an earlier run could judge, which is not asked again; without it, what the journal holds. jobs: how many
    are asked side by side. doing: what the bar says. What was not judged is not kept. Raises `Interrupted`.
    """
    found = dict(known if known is not None else journal.resume() if journal else {})
    todo = [name for name in subjects if name not in found]
    answers = _answers([(name, subjects[name]) for name in todo], predict, jobs)
    try:
        for name, prediction in progress(answers, doing, len(todo)):
            found[name] = prediction
            if journal and prediction["label"] != Decision.UNAVAILABLE:
                journal.keep(name, prediction)
    except KeyboardInterrupt:
        done = sum(name in found for name in subjects)
        goes_on = "The same command goes on from there." if journal else "Nothing is kept of this judge's answers."
        raise Interrupted(f"stopped after {done} of {len(subjects)}. {goes_on}") from None
    return {name: found[name] for name in subjects}


def progress(each: Iterable[S], doing: str, total: int) -> Iterable[S]:
    """The same one after another, with a bar on a terminal. doing: what it says."""
    console = Console(stderr=True)
    return track(each, doing, total, console=console, transient=True, disable=not console.is_terminal)


def _answers(
    rows: Sequence[tuple[str, S]], predict: Callable[[S], dict[str, Any]], jobs: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """As they come."""
    if jobs == 1:
        for name, subject in rows:
            yield name, predict(subject)
        return
    with ThreadPoolExecutor(jobs) as pool:
        futures: dict[Future[dict[str, Any]], str] = {pool.submit(predict, subject): name for name, subject in rows}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)  # a call that is under way is paid for anyway


def judge_file(
    subjects: Mapping[str, S],
    predict: Callable[[S], dict[str, Any]],
    run: list[str],
    out: Path,
    *,
    names: tuple[str, str, str],
    by: Mapping[str, str],
    as_json: bool,
) -> NoReturn:
    """Judge every subject, write the predictions to `out`, and say how many came to what.

    run: as `Journal` takes it. names: of one subject, of several, and of the key that says whether one is bounced.
    by: who judged, and how strictly, by their names in the figures.
    """
    started = time.monotonic()
    journal = Journal(journal_path(out), run)
    with writable(out):
        predictions = predict_all(subjects, predict, journal)
        write_whole(out, predictions)
        journal.end()
    one, several, bounces = names
    total, counted = len(predictions), Counter(each["label"] for each in predictions.values())
    bounced, unavailable = sum(each[bounces] for each in predictions.values()), counted[Decision.UNAVAILABLE.value]
    accepted, took = total - bounced - unavailable, round(1000 * (time.monotonic() - started) / total, 2)
    if as_json:
        figures = {
            several: total,
            "bounced": bounced,
            "accepted": accepted,
            "unavailable": unavailable,
            "labels": {label: count for label, count in sorted(counted.items()) if label in _LABELS},
            **by,
            f"milliseconds_per_{one}": took,
            "out": str(out),
        }
        click.echo(json.dumps(figures, ensure_ascii=False))
    else:
        judged = f"{total:,} {one if total == 1 else several}"
        click.echo(f"{judged} judged by {', '.join(by.values())}: {bounced} to bounce, {accepted} accepted,")
        click.echo(f"{unavailable} not judged; {took} ms each. Predictions in {out}.")
    raise click.exceptions.Exit(NOT_JUDGED if unavailable == total else 0)
