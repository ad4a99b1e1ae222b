"""Fixes that others offer beside one commit. Looked up only once it misses an example of its issue."""

import logging
from collections.abc import Iterator
from functools import cached_property

from bot.github.errors import GitHubError, NotFound
from bot.github.values import Pull
from bot.pulls.offered_fixes import OfferedFix, choose, find_rivals, find_suggestions
from bot.pulls.request import Request
from bot.workflows.jobs import RunJob
from bot.workflows.services import Services
from bot.workflows.workflow import JobContext

MOST_REMARKS = 100  # line comments in which suggestions are looked for: one call

log = logging.getLogger(__name__)


class Offers(JobContext):
    """Of one commit, for what was asked."""

    def __init__(self, services: Services, job: RunJob, asked: Request) -> None:
        super().__init__(services, job)
        self._asked = asked

    def __call__(self) -> tuple[OfferedFix, ...]:
        """Never raises: what cannot be had is no word on the change."""
        return self._found

    @cached_property
    def _found(self) -> tuple[OfferedFix, ...]:
        try:
            pull = self.client.get_pull(self.job.number)
            return choose(self._suggestions(pull), self._rivals(pull)) if pull.head == self.job.head else ()
        except GitHubError as error:
            log.info("%s: nobody's fix can be looked up: %s", self.job, error)
            return ()

    @property
    def _place(self) -> str:
        return f"{self.services.web_url.rstrip('/')}/{self.job.repository.full_name}"

    def _rivals(self, pull: Pull) -> Iterator[OfferedFix]:
        closing = [each for issue in self._asked.issues for each in self.client.pulls_that_close(issue.number)]
        for each in find_rivals(pull, closing):
            try:
                base = self.client.merge_base(pull.base, each.head)
            except NotFound:  # it has nothing in common, or is gone
                continue
            yield OfferedFix(each.author, f"{self._place}/pull/{each.number}", each.number, each.head, base)

    def _suggestions(self, pull: Pull) -> tuple[OfferedFix, ...]:
        """Those of bots, where one that the policy has looked at has reviewed this commit."""
        known = self.services.reviews.get(self.job.repository.id, pull.number)
        if known is None or known.review is None or known.review.commit != pull.head:
            return ()
        remarks = self.client.remarks(pull.number, MOST_REMARKS)
        others = [each for each in remarks if not self.client.is_own_remark(each)]
        return find_suggestions(pull, others, self._place)
