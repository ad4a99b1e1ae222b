"""Executing a change for the gate and the merge queue: what stands against that for good is an answer as well."""

from bot.github.errors import GitHubError
from bot.pulls.suggestions import SuggestionError
from bot.verification.rejected import Executed, RejectedChange
from bot.verification.standing import HeadTrial
from bot.workflows.durable.github_step import may_pass
from bot.workflows.services import Services
from bot.workflows.verifier import ExecutionRequest


def execute(
    services: Services, wanted: ExecutionRequest, installation_id: int, rejected: RejectedChange | None = None
) -> Executed:
    """As the verifier's `check`; why nothing ran stands in the answer. Raises a `GitHubError` that may pass."""
    try:
        return services.verifier.check(wanted, services.github.credential(installation_id), rejected)
    except SuggestionError as error:
        return Executed(HeadTrial(problem=str(error)))
    except GitHubError as error:
        if may_pass(error):
            raise
        return Executed(HeadTrial(problem=f"It could not be fetched to be executed: {error}."))
