"""Which calibration counts where, and what ends one."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import text

from bot.judges.calibration.calibration import CalibrationSource
from bot.storage.calibrations import SERVER, Calibrations
from bot.storage.database import Database
from bot.storage.installations import Installations
from bot.verdicts import SpecificationLabel
from tests.judges.calibrations import NOW, calibration

MODEL = "openai/gpt-4.1-2025-04-14 with issue-specification/1"
SHOP = 2**40


def test_a_repositorys_own_counts_before_the_servers_before_none(database: Database) -> None:
    store = Calibrations(database)
    assert store.in_force(SHOP, MODEL) is None
    server, own = calibration(), calibration(None, repository="acme/shop")
    store.keep(SERVER, server)
    assert store.in_force(SHOP, MODEL) == store.in_force(SHOP + 1, MODEL) == server
    store.keep(SHOP, own)
    assert (store.in_force(SHOP, MODEL), store.in_force(SHOP + 1, MODEL)) == (own, server)
    assert store.all() == (server, own)
    assert store.in_force(SHOP, "foo-7b with issue-specification/1") is None
    assert (store.forget(SHOP), store.forget(SHOP)) == (1, 0)
    assert store.in_force(SHOP, MODEL) == server


def test_acts_count_before_labels_until_new_labels_come(database: Database) -> None:
    store = Calibrations(database)
    store.keep(SERVER, calibration())
    acts = calibration(None, source=CalibrationSource.ACTS, judge="gpt-4.1 with issue-specification/1")
    store.keep(SERVER, acts)
    assert store.in_force(SHOP, MODEL) == acts
    assert store.in_force(SHOP, "gpt-4.1 with issue-specification/2") == calibration(), "acts are of one prompt"
    assert store.from_labels(SHOP, MODEL) == calibration()
    newer = calibration(SpecificationLabel.IMPOSSIBLE_TO_SOLVE, made_at=NOW + timedelta(days=1))
    store.keep(SERVER, newer)
    assert store.in_force(SHOP, MODEL) == newer and store.all() == (newer,)


def test_acts_of_another_place_or_judge_stay(database: Database) -> None:
    store = Calibrations(database)
    elsewhere = calibration(None, source=CalibrationSource.ACTS, repository="acme/shop")
    other = replace(elsewhere, judge="gpt-4.1-mini", repository="")
    store.keep(SHOP, elsewhere)
    store.keep(SERVER, other)
    store.keep(SERVER, calibration())
    assert store.in_force(SHOP, MODEL) == elsewhere
    assert store.in_force(SHOP, "gpt-4.1-mini") == other


def test_what_this_version_cannot_read_is_none(database: Database) -> None:
    store = Calibrations(database)
    store.keep(SERVER, calibration())
    with database.main.begin() as connection:
        connection.execute(text("UPDATE calibrations SET calibration = '{\"judge\": 1}'"))
    assert store.in_force(SHOP, MODEL) is None and store.all() == ()


def test_what_was_learnt_in_a_repository_goes_with_it(database: Database) -> None:
    store = Calibrations(database)
    store.keep(SHOP, calibration(repository="acme/shop"))
    store.keep(SERVER, calibration())
    Installations(database).remove_repositories(3, [SHOP])
    assert store.all() == (calibration(),)
