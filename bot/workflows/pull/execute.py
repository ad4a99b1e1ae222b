"""Executing a change for the gate and the merge queue: what stands against that for good is an answer as well."""

from bot.github.errors import GitHubError
from bot.pulls.suggestions import SuggestionError
from bot.verification.rejected import Executed, Rejected
from bot.verification.standing import Stood
from bot.workflows.durable.github_step import trouble_of
from bot.workflows.execution import Wanted
from bot.workflows.services import Services


def executed(services: Services, wanted: Wanted, installation_id: int, rejected: Rejected | None = None) -> Executed:
    """As the verifier's `check`; why nothing ran stands in the answer. Raises a `GitHubError` that may pass."""
    try:
        return services.verifier.check(wanted, services.github.credential(installation_id), rejected)
    except SuggestionError as error:
        return Executed(Stood(problem=str(error)))
    except GitHubError as error:
        if trouble_of(error).retry:
            raise
        return Executed(Stood(problem=f"It could not be fetched to be executed: {error}."))
