"""`python -m lab.corpus`: record what a checkout's `bouncer` says, and compare two recordings.

record --bouncer OTHER/.venv/bin/bouncer --out .cache/corpus/old.json
record --bouncer .venv/bin/bouncer --out .cache/corpus/new.json
compare .cache/corpus/old.json .cache/corpus/new.json
"""

import random
import sys
import tempfile
import time
from pathlib import Path

import click

from lab.corpus.answers import (
    CASES,
    SHARED,
    Bouncer,
    cases,
    catalogue,
    record_cases,
    record_data,
    record_pulls,
    record_reports,
)
from lab.corpus.demo import record_demo
from lab.corpus.recording import WHOLE, Item, Recording, differences, read, write

KINDS = ("reports", "data", "cases", "demo", "pulls")
_SEED = 1


@click.group(help=__doc__)
def main() -> None:
    pass


@main.command()
@click.option("--bouncer", "path", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--only", multiple=True, type=click.Choice(KINDS), help="Only this kind; may be given again.")
@click.option("--sample", type=click.IntRange(1), help="Only so many of the cases and of the pulls, always the same.")
@click.option("--jobs", default=2, show_default=True, help="Cases and pulls judged at a time.")
@click.option("--out", default=".cache/corpus.json", show_default=True, type=click.Path(path_type=Path))
@click.option("--digests", type=click.Path(path_type=Path), help="Write it here as well, without texts, for git.")
def record(path: Path, only: tuple[str, ...], sample: int | None, jobs: int, out: Path, digests: Path | None) -> None:
    """Record what `bouncer` says, with all texts."""
    if sample and digests:
        raise click.UsageError("What git keeps is whole: leave --sample out.")
    scope, items = {}, dict[str, Item]()
    for kind in (kind for kind in KINDS if kind in (only or KINDS)):
        lacking = {"data": SHARED, "cases": CASES}.get(kind)
        if lacking and not lacking.is_dir():
            click.echo(f"{kind:8} left out: there is no {lacking}")
            continue
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="corpus-", ignore_cleanup_errors=True) as folder:
            found, scope[kind] = _record(kind, Bouncer(path.absolute(), Path(folder)), sample, jobs)
        items |= {f"{kind}/{name}": each for name, each in found.items()}
        write(Recording(scope, items), out, texts=True)
        click.echo(f"{kind:8} {len(found):5} answers, {scope[kind]}, {time.monotonic() - begun:.0f} s")
    if digests:
        write(Recording(scope, items), digests, texts=False)


def _record(kind: str, bouncer: Bouncer, sample: int | None, jobs: int) -> tuple[dict[str, Item], str]:
    """The answers of one kind, and its scope."""
    whole = {"reports": record_reports, "data": record_data, "demo": record_demo}
    if kind in whole:
        return whole[kind](bouncer), WHOLE
    every, judge = (cases(), record_cases) if kind == "cases" else (catalogue(), record_pulls)
    if sample is None or sample >= len(every):
        return judge(bouncer, every, jobs), WHOLE
    chosen = sorted(random.Random(_SEED).sample(sorted(every), sample))
    return judge(bouncer, {name: every[name] for name in chosen}, jobs), f"a sample of {sample}"


@main.command()
@click.argument("first", type=click.Path(exists=True, path_type=Path))
@click.argument("second", type=click.Path(exists=True, path_type=Path))
def compare(first: Path, second: Path) -> None:
    """Say in what two recordings differ. Exit status 1 where they do."""
    old, new = read(first), read(second)
    found = list(differences(old, new))
    for each in found:
        click.echo(f"{each}\n")
    both = sorted(old.scope.keys() & new.scope.keys())
    counted = sum(name in old.items and name in new.items for name in {**old.items, **new.items})
    click.echo(f"{len(found)} differences in {counted} answers that both hold, of {', '.join(both) or 'no kind'}")
    for kind in sorted(old.scope.keys() ^ new.scope.keys()):
        click.echo(f"{kind}: only in the {'first' if kind in old.scope else 'second'}")
    sys.exit(bool(found) or not both)


if __name__ == "__main__":
    main()
