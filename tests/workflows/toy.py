"""A worker process with toy workflows, to be killed: `python -m tests.workflows.toy URL WORKER_ID JOURNAL`.

Writes one line to the journal for everything that happens; the tests read it. Leads while the file `lead` exists.
"""

import logging
import sys
import time
from pathlib import Path

from bot.workflows.durable.engine import Engine
from bot.workflows.durable.step import step


def main(url: str, worker_id: str, journal: Path) -> None:
    def write(line: str) -> None:
        with journal.open("a") as file:
            file.write(line + "\n")

    def watch_network(event: str, args: tuple[object, ...]) -> None:
        if event == "socket.connect":
            write(f"connect {args[1]}")

    def paid(argument: str) -> str:
        """An effect, then a step that hangs while the file `hang` exists."""
        price = step("pay", int, lambda: (write(f"paid {argument}"), 7)[1])
        hang = journal.with_name("hang")
        write(f"reached {argument}")
        while hang.exists():
            time.sleep(0.01)
        write(f"finished {argument} for {price}")
        return "done"

    sys.addaudithook(watch_network)
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    engine = Engine(url, {"paid": paid}, worker_id=worker_id, poll_seconds=0.05)
    engine.start()
    engine.submit("paid", "subject:1", "subject", "first")
    write("started")
    led = False
    while not journal.with_name("end").exists():
        if journal.with_name("lead").exists() and engine.lead() is not led:
            led = not led
            write("leads" if led else "leads no more")
        time.sleep(0.02)
    engine.stop(drain=5)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
