"""Product code that asks whether it is tested or where it runs, reaches where only debuggers and test tools belong, or
changes what is somebody else's for everybody. Pure.

Such code may do one thing for its tests and another for its users, and then no test says anything about it. Only new
lines count, and what a program asks by detours is left to what runs. The signs are the rows of `signs.toml`.
"""

from collections.abc import Iterator

from bot.changes.readers import RUNS, globs
from bot.changes.risks.hidden import hidden
from bot.changes.risks.lines import added, is_product, product
from bot.changes.risks.signs import SIGNS, show, signs_at
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, Whole

_CHECKS = tuple(dict.fromkeys(sign.check for sign in SIGNS))
_STARTED, _SETTINGS = globs(*RUNS["started"]), globs(*RUNS["settings"])


def code(change: Change, whole: Whole) -> Iterator[Risk]:
    """`asks_if_tested`, `asks_where_it_runs`, `reaches_frames`, `reads_itself`, `reaches_runtime`, `ends_process`,
    `hides_its_text`."""
    files = tuple(product(change))
    for file in files:
        for check in _CHECKS:
            if check == "ends_process" and _STARTED(file.path.lower()):
                continue
            signs = tuple(sign for sign in SIGNS if sign.check == check)
            yield from show(file, signs, *filter(is_product, files))
        yield from hidden(file, whole if _may_tell_more(file) else lambda _: None)
    for file in change.of(FileKind.TEST):
        yield from show(file, signs_at("tests"))
    for file in change.files:
        yield from show(file, signs_at("tools")) if _SETTINGS(file.path) else ()


_TELLS = (*RUNS["code"], *RUNS["names"])  # words for whose sake the whole file is looked at


def _may_tell_more(file: FileChange) -> bool:
    """Whether the whole file may show of its code what new lines alone do not."""
    return any(not text.isascii() or any(word in text for word in _TELLS) for _, text in added(file))
