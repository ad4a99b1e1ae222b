"""A model behind the worker: what each decision cost is written down, and the day's ceiling ends in no verdict."""

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from bot.judges.openai.issues import OpenAIJudge
from bot.rendering.issue_reasons import issue_reasons
from bot.storage.ledger import spending
from bot.verdicts import Decision
from bot.workflows.services import LedgerSpend
from tests.support.model import ScriptedModel, completion
from tests.workflows.house import House

PRICES = {"model_price_in": 10.0, "model_price_out": 100.0}
USED = (1000, 100)
MONEY = 0.02  # 1000 tokens at 10 a million, and 100 at 100
ITEMS = {"observed": False, "steps": False}


@pytest.fixture
def priced(house: House, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """The house with the scripted model as its judge, and room for one call a day."""
    house.begin_a_day()
    scripted_model.always(completion(label="VAGUE", items=ITEMS, usage=USED))
    worst = scripted_model.settings(model_max_tokens=1000, model_spend_per_day=0.2, **PRICES)
    judge = OpenAIJudge(worst, LedgerSpend(house.services.ledger, house.clock))
    monkeypatch.setattr(house.judge, "judge", judge.judge)
    yield house


def test_what_a_decision_cost_is_in_the_ledger(priced: House, scripted_model: ScriptedModel) -> None:
    repo = priced.repository()
    number = priced.open(repo)
    assert priced.held(repo, number)
    (entry,) = priced.services.ledger.entries(priced.github.repo(repo).id, number)
    assert (entry.usage.calls, entry.usage.tokens_in, entry.usage.tokens_out) == (1, *USED)
    assert entry.usage.money == pytest.approx(MONEY)
    with priced.database.main.connect() as connection:
        row = connection.execute(select(spending).where(spending.c.workflow_id == entry.workflow_id)).one()
    assert row.money == pytest.approx(MONEY)


def test_at_the_ceiling_no_call_is_made_and_nothing_is_decided(priced: House, scripted_model: ScriptedModel) -> None:
    repo = priced.repository()
    numbers = [priced.open(repo, title=f"It is broken {count}") for count in range(6)]
    held = [number for number in numbers if priced.held(repo, number)]
    assert 0 < len(held) < len(numbers)
    assert len(scripted_model.requests) == len(held), "what is over the ceiling is not asked"
    assert priced.services.ledger.money_today(priced.clock()) <= 0.2
    last = priced.remembered(repo, numbers[-1])
    assert last is not None and last.verdict is not None and last.verdict.decision is Decision.UNAVAILABLE
    assert "ceiling" in " ".join(issue_reasons(last.verdict))
    assert priced.issue(repo, numbers[-1]).comments == ()
    for _ in range(3):
        priced.tick(hours=3)
    assert len(scripted_model.requests) == len(held), "asking again on the same day is no use"
    priced.tick(hours=16)
    for _ in range(len(numbers)):
        priced.tick(minutes=11)  # those asked at once may not all fit beside each other; they come back soon
    assert all(priced.held(repo, number) for number in numbers[-2:]), "another day, another purse"
