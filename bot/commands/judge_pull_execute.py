"""How `bouncer judge pull` executes a change: by itself, and beside a fix for it where it was rejected."""

from bot.commands.judge_pull_input import Proposed
from bot.commands.shared import runner
from bot.github import commits
from bot.github.merging import merge_tree
from bot.judges.openai.spend import Spend
from bot.judges.patches import PatchSubject
from bot.judges.reviews import PatchReview
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities
from bot.settings import Settings
from bot.verification.execution import Models, Terms, executed
from bot.verification.rejected import Executed, rejection, said
from bot.verification.stage import Conflict, Stage, staged
from bot.verification.standing import HeadTrial


def execute(
    proposed: Proposed, subject: PatchSubject, review: PatchReview | None, settings: Settings, spend: Spend
) -> Executed:
    """As the gate does. Never raises for what models say and programs do."""
    executor = choose(settings, runner(settings))
    if isinstance(executor, Capabilities):
        return Executed(HeadTrial(problem=f"Nothing may run here: {executor.problem}"))
    terms = Terms(
        proposed.policy,
        proposed.wanted.specification,
        said(review) if review else "",
        review.runnable if review else (),
    )
    before, after, verify = proposed.before, proposed.after, proposed.policy.verify
    if isinstance(after, Conflict):
        return executed(after, terms, Models())
    made = commits.commit_time(proposed.directory, proposed.tip)
    with staged(executor, before, after, verify, settings, owner=proposed.owner, made=made) as stage:
        ready = isinstance(stage, Stage)
        tree = merge_tree(proposed.directory, proposed.base, proposed.tip, proposed.head) if ready else ""
        return executed(stage, terms, Models.make(settings, spend), rejection(subject, review)).of_tree(tree)
