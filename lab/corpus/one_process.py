"""Runs a Python console script once for each line of standard input, a JSON list of arguments.

Prints for each a JSON list of exit status, standard output and standard error. What the script imports is loaded once;
every call has a process of its own, forked from that.
"""

import gc
import json
import os
import runpy
import sys
import tempfile

_FIRST = 10  # calls, which load all that the others need


def main() -> None:
    script = sys.argv[1]
    calls = [json.loads(line) for line in sys.stdin]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        for words in calls[:_FIRST]:  # for what they import
            _call(script, words)
        gc.freeze()
        for words in calls:
            for file in (out, err):
                file.seek(0)
                file.truncate()
            child = os.fork()
            if child == 0:
                os._exit(_call(script, words))
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode("utf-8", "replace"))
            answers.write(json.dumps([status, *texts]) + "\n")
            answers.flush()


def _call(script: str, words: list[str]) -> int:
    """The script's exit status."""
    sys.argv = [script, *words]
    try:
        runpy.run_path(script, run_name="__main__")
        status: object = 0
    except SystemExit as ended:
        status = ended.code
    sys.stdout.flush()
    sys.stderr.flush()
    return status if isinstance(status, int) else int(status is not None)


main()
