"""Which file loads which, where no Python tells."""

from bot.verification.files.loads import Loads, closure
from bot.verification.values import Program
from tests.support.cases import cases, table

FILES = table(dict[str, str], __file__, "FILES")


@cases
def test_what_a_file_loads(path: str, found: set[str]) -> None:
    loads = Loads.of(Program(None, {path: text.encode() for path, text in FILES.items()}))
    assert loads.by(path) == found


def test_a_change_is_followed_however_many_files_lie_between() -> None:
    loads = Loads.of(Program(None, {path: text.encode() for path, text in FILES.items()}))
    assert closure(["lib/a.js"], loads.by) == {
        "lib/b.ts",
        "lib/e.ts",
        "index.js",
        "c.js",
        "lib/d/index.mjs",
    }
    after = loads.after({"lib/b.ts": None, "lib/a.js": b"require('./b'); require('./new')", "lib/new.ts": b""})
    assert closure(["lib/a.js"], after.by) == {"lib/new.ts"}
