"""A seat at any game of an Openseat server, for programs that learn, evaluate or play.

    import openseat

    with openseat.make("connectm", opponent="random") as env:
        step = env.reset(seed=1)
        while not step.done:
            step = env.step(step.legal[0])
        print(step.outcome)

docs/python.md of the project explains the rest.
"""

from ._version import __version__
from .client import AsyncEnv, Env, ManyEnv, OpenseatError, Step, make, make_async, make_many
from .server import Server, server_url

__all__ = [
    "AsyncEnv",
    "Env",
    "ManyEnv",
    "OpenseatError",
    "Server",
    "Step",
    "__version__",
    "make",
    "make_async",
    "make_many",
    "server_url",
]
