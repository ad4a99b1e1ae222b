"""Records as the stores keep them, each test stating only its difference."""

from datetime import UTC, datetime

from bot.live.precision import Subject
from bot.policy_choices import Mode
from bot.storage.fixes import FixRecord
from bot.storage.judgements import RejectionRecord
from bot.storage.ledger import Act, Disagreement, Entry
from bot.storage.overrides import Override
from bot.verdicts import Decision, Verdict

REPO, HEAD = 2**40, "a" * 40
NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
ENTRY = Entry(
    workflow_id="issue:1",
    repo_id=REPO,
    number=9,
    author="somebody",
    at=NOW,
    seq=1,
    mode=Mode.ADVISE,
    verdict=Verdict(Decision.BOUNCE, None, None, "", None),
    subject=Subject.ISSUE,
)
DISAGREEMENT = Disagreement(
    workflow_id="word", repo_id=REPO, number=9, who="maintainer", at=NOW, act=Act.ACCEPT, verdict=None
)
OVERRIDE = Override(
    id="comment 1",
    repo_id=REPO,
    number=7,
    head=HEAD,
    who="maintainer",
    permission="maintain",
    reason="I ran it.",
    at=NOW,
)
REJECTION = RejectionRecord(
    run_id="review:1",
    repo_id=REPO,
    number=7,
    installation_id=3,
    repository="acme/widgets",
    head=HEAD,
    at=NOW,
    decision=Decision.BOUNCE,
    sentence="It holds.",
    reviewer="critic[bot]",
    result="{}",
)
FIX = FixRecord(
    repo_id=REPO,
    number=9,
    installation_id=3,
    repository="acme/widgets",
    run_id="already_fixed:1",
    brief_wanted=True,
    label="already-fixed",
)
