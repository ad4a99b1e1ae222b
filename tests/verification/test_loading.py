"""Which file loads which, where no Python tells."""

from bot.verification.loading import Loads
from bot.verification.values import Program
from tests.support.cases import cases

FILES = {
    "lib/a.js": "const b = require('./b'); import c from \"../c.js\"; import('./d/');",
    "lib/b.ts": "export * from './e.js'",
    "lib/d/index.mjs": "require('fs'); require('b')",
    "lib/e.ts": "require('..')",
    "c.js": "",
    "index.js": "",
    "shop.go": 'package shop\n\nimport (\n\t"fmt"\n\tt "example.org/shop/test" // more\n)\n',
    "one.go": 'package shop\n\nimport "example.org/shop/in/deep"\n',
    "test/a.go": "",
    "test/b.go": "",
    "in/deep/a.go": "",
    "src/lib.rs": 'pub mod test;\nmod inner;\n#[cfg(test)]\nmod tests;\n#[path = "x"]\npub(crate) mod last;\n',
    "src/test/mod.rs": "mod deep;\n",
    "src/test/deep.rs": "",
    "src/inner.rs": "mod own;\n",
    "src/inner/own.rs": "",
    "src/tests.rs": "",
    "src/last.rs": "",
}


@cases
def test_what_a_file_loads(path: str, found: set[str]) -> None:
    loads = Loads.of(Program(None, {path: text.encode() for path, text in FILES.items()}))
    assert loads.by[path] == found


def test_a_change_is_followed_however_many_files_lie_between() -> None:
    loads = Loads.of(Program(None, {path: text.encode() for path, text in FILES.items()}))
    assert loads.reached_from(["lib/a.js"]) == {"lib/b.ts", "lib/e.ts", "index.js", "c.js", "lib/d/index.mjs"}
    after = loads.after({"lib/b.ts": None, "lib/a.js": b"require('./b'); require('./new')", "lib/new.ts": b""})
    assert after.reached_from(["lib/a.js"]) == {"lib/new.ts"}
