"""What a database or GitHub keeps by its name is still called so: work of the version before is taken on by it."""

from tests.workflows.stored import FILE, names

ADVICE = {
    "version": "Runs of another version are never resumed. Keep it, unless all that is under way may be lost.",
    "worker": "Runs under way are found by their worker's name. Keep it.",
    "workflow": "Runs that wait are stored under it. Keep it, or register the old name as well.",
    "queue": "Runs that wait are stored in it. Keep it, or listen to the old one as well.",
    "step": "A run under way that meets another name there fails. Keep it, also where the step does more by now.",
    "id": "The same id is the same run in every version. Keep its form, or what was done is done once more.",
    "marker": "Bouncer finds its comments by it. Keep it, or look for the old one as well.",
    "check": "Bouncer finds its checks by it, and branches require it. Keep it.",
    "check of a policy": "Bouncer finds its checks by it. Keep it.",
    "table": "Migrations are counted there. Keep it.",
    "object": "It is stored as JSON. Keep every name; what is new needs a default (`?`), what goes may not be needed.",
    "values": "These are stored. Keep every one, or read the old one as another; new ones may come.",
}


def test_what_is_stored_is_called_as_before() -> None:
    before, now = FILE.read_text().splitlines(), names()
    gone, new = sorted({*before} - {*now}), sorted({*now} - {*before})
    assert not gone + new, "\n".join(
        [
            "Stored names differ from tests/workflows/stored_names.txt.",
            *(f"gone  {name}\n      {advice(name)}" for name in gone),
            *(f"new   {name}" for name in new),
            "When work of the version before is still taken on: python -m tests.workflows.stored",
        ]
    )


def test_there_is_advice_for_every_name() -> None:
    assert {name.partition(":")[0] for name in names()} == {*ADVICE}


def advice(name: str) -> str:
    return ADVICE[name.partition(":")[0]]
