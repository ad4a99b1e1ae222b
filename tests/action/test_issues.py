"""Issues and what people say below them, judged by the Action's one job: the same label, comment and answers as by a
server, with nothing kept but on GitHub."""

from tests.action.conftest import Place
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE


def held(place: Place, number: int) -> bool:
    return LABEL in place.issue(number).labels


def test_a_vague_issue_is_held_and_let_go_once_it_is_clear(place: Place) -> None:
    number = place.open(VAGUE_TITLE, VAGUE)
    assert held(place, number), place.runner.jobs[-1].log
    [asked] = place.spoken(number)
    job = place.runner.jobs[-1]
    assert job.outputs["decision"] == "BOUNCE" and job.outputs["subject"] == str(number)
    assert f"**#{number}** does not say enough to act on" in job.summary

    place.github.edit_issue("acme/kettle", number, title=CLEAR_TITLE, body=CLEAR)
    place.settle()
    assert not held(place, number)
    [cleared] = place.spoken(number)
    assert cleared != asked and place.runner.jobs[-1].outputs["decision"] == "ACCEPT"
