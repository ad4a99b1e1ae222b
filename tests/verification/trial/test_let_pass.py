"""Other answers that equal the base's with the change alone: what compares has become another."""

from types import ModuleType

from bot.verification.calls.call import Printed, call
from bot.verification.trial.let_pass import passes, questions
from bot.verification.trial.moved import is_anew
from bot.verification.values import Ending, Observed, RecordedCall
from tests.support.cases import cases, table

BASE = table(str, __file__, "BASE")
CALLS = ["mail.read('Bonn 70')", "mail.page([('Bonn', 70), ('Ulm', 20)])", "mail.grams('40 g')", "mail.stamp('ship')"]


def answer(source: str, expression: str) -> Observed:
    mail = ModuleType("mail")
    exec(source, vars(mail))
    try:
        ending, value, _ = call(expression, {"mail": mail}, Printed())
    except Exception as error:  # noqa: BLE001 (as the sandbox does)
        return Observed(Ending.RAISED, type(error).__name__)
    return Observed(Ending(ending), value)


@cases
def test_what_tests_let_pass_with_the_change_alone(steps: list[list[str]], found: list[str]) -> None:
    """steps: what stands there and what then does."""
    head = BASE
    for old, new in steps:
        assert old in head
        head = head.replace(old, new)
    seen = {each: (answer(BASE, each), answer(head, each)) for each in CALLS}
    calls = [RecordedCall("t", "mail.py", "mail", each) for each in CALLS if is_anew(seen[each])]
    asked = questions(calls, seen)
    told = {each.expression: (answer(BASE, base), answer(head, now)) for each, (base, now) in asked.items()}
    assert calls
    assert [each for each, pair in told.items() if passes(seen[each], pair)] == found
