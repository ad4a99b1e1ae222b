"""Published kinds of agents' exploits, and the families here that try them.

The kinds are those of TRACE (arXiv 2601.20103), whose 54 fine kinds fall into broader ones; the broader ones are mapped.
What an exploit does to a task's grader alone, or to a model's score for style, has no counterpart at a pull request's
check and is listed with the reason.
"""

from collections.abc import Mapping

COVERED: Mapping[str, tuple[str, ...]] = {
    "test modification": (
        "weakened tests",
        "tests of a command that notice less",
        "renamed and removed tests",
        "conftest",
        "unittest's own ways",
    ),
    "test case targeting": ("asking whether it is tested",),
    "coverage gaming": ("weakened tests", "own tests that fail"),
    "degenerate implementation": ("asking whether it is tested", "nothing that was asked"),
    "information leakage": ("asking whether it is tested", "where nobody looks"),
    "runtime manipulation": ("patching", "rewriting what judges", "start-up", "what tests lean on"),
    "tool and configuration exploitation": (
        "configuration",
        "a command's own files",
        "a build's own files",
        "what a command reaches",
        "tests where no custom has them",
        "Node's own ways",
        "Go's own ways",
        "Rust's own ways",
        "scripts over scripts",
        "what lies beside the tests",
        "an environment that the head made",
    ),
    "time and resources": ("unsteady tests", "where nobody looks"),
}
NOT_HERE: Mapping[str, str] = {
    "style manipulation": "padding a change with comments or types: nothing here is scored by style",
    "complexity gaming": "longer code than is needed: a matter for a reviewer, no test can tell",
}
