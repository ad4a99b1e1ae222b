"""Why an issue is not held, or not looked at."""

from typing import Any

from bot.issues.exemptions import why_exempt, why_no_look, why_outside
from tests.issues.builders import look, policy
from tests.support.cases import cases


@cases
def test_what_is_outside(difference: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    assert why_outside(look(difference), policy(issues={"only": rules})) == reason


@cases
def test_exemption(difference: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    assert why_exempt(look(difference), policy(issues={"exempt": rules})) == reason


@cases
def test_what_gets_no_look(difference: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    assert why_no_look(look(difference), policy(issues=rules)) == reason
