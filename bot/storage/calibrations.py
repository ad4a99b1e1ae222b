"""What judges' labels are worth on this server and in its repositories, as `bouncer calibrate` found."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_

from bot.judges.calibration.calibration import Calibration, CalibrationSource, keys
from bot.storage.store import Store
from bot.storage.tables import table

SERVER = 0  # instead of a repository's number: the whole server


@dataclass(frozen=True, slots=True)
class CalibrationRecord:
    """repo_id: `SERVER`, or the repository that it counts in. calibration: `None` where this version cannot read it."""

    repo_id: int
    judge: str
    source: CalibrationSource
    made_at: datetime
    calibration: Calibration | None


calibrations = table("calibrations", CalibrationRecord, primary="repo_id judge source")


class Calibrations(Store[CalibrationRecord], table=calibrations):
    """A row for each judge, in each repository or for the server, from labels and from acts."""

    def keep(self, repo_id: int, calibration: Calibration) -> None:
        """In place of what was there. One from labels ends what acts said beside the one before."""
        judge, source = calibration.judge, calibration.source
        self.save(CalibrationRecord(repo_id, judge, source, calibration.made_at, calibration))
        if source is CalibrationSource.LABELS:
            column = calibrations.c.judge
            same = or_(column == judge, column.startswith(f"{judge} with ", autoescape=True))
            self._drop(calibrations.c.repo_id == repo_id, calibrations.c.source == CalibrationSource.ACTS, same)

    def in_force(self, repo_id: int, judge: str) -> Calibration | None:
        """What counts for this judge in a repository: its own, else the server's; `None` for what Bouncer brings.
        judge: as a judgement names it."""
        return self._first(repo_id, judge, (CalibrationSource.ACTS, CalibrationSource.LABELS))

    def from_labels(self, repo_id: int, judge: str) -> Calibration | None:
        """The same without what acts say."""
        return self._first(repo_id, judge, (CalibrationSource.LABELS,))

    def all(self) -> tuple[Calibration, ...]:
        """Every one, the server's first."""
        order = (calibrations.c.repo_id, calibrations.c.judge, calibrations.c.source)
        return tuple(row.calibration for row in self._all(order=order) if row.calibration is not None)

    def forget(self, repo_id: int) -> int:
        """Those of one repository, or the server's; how many there were."""
        return self._drop(calibrations.c.repo_id == repo_id)

    def _first(self, repo_id: int, judge: str, sources: tuple[CalibrationSource, ...]) -> Calibration | None:
        wanted = keys(judge)
        rows = self._all(calibrations.c.repo_id.in_([repo_id, SERVER]), calibrations.c.judge.in_(wanted))
        kept = {(row.repo_id, row.judge, row.source): row.calibration for row in rows}
        order = ((place, key, source) for place in (repo_id, SERVER) for key in wanted for source in sources)
        return next((found for each in order if (found := kept.get(each)) is not None), None)
