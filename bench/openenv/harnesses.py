"""Plays episodes of three games through a running server's OpenEnv door, twice: with the published client, unmodified, and in the way of the verifiers
library. To be run by hand, with sources that are not in Debian: a checkout of OpenEnv, and one of websockets 15 or later.

The harness of verifiers needs packages with compiled parts, so its order of messages is played here: connect; GET schema; reset; then each turn the
model gets {"observation", "action_schema"} as JSON, and its reply is read as that library reads it. The model is a stand-in that answers in four styles.

usage: harnesses.py OPENSEAT OPENENV/src WEBSOCKETS/src [EPISODES]      EPISODES (1000) of each
"""

import asyncio
import collections
import json
import os
import pathlib
import random
import sys
import types
import urllib.request
from typing import Any, Dict

GAMES = ("tictactoe", "connectm", "chicken")


def published_client(openenv: str, websockets: str) -> Any:
    """The class GenericEnvClient. Its package would import the server, which needs pydantic 2; the client does not."""
    sys.path.insert(0, websockets)
    for name in ("openenv", "openenv.core"):
        package = types.ModuleType(name)
        package.__path__ = [str(pathlib.Path(openenv, *name.split(".")))]
        sys.modules[name] = package
    from openenv.core.generic_client import GenericEnvClient

    return GenericEnvClient


def answer(observation: Dict[str, Any], chance: random.Random, turn: int) -> str:
    """What a model might say: the id alone, JSON, JSON in a fence, or a label."""
    choice = chance.choice(observation["choices"])
    styles = (
        str(choice["id"]),
        json.dumps({"choice": choice["id"]}),
        "```json\n" + json.dumps({"choice": choice["id"]}) + "\n```",
        str(choice["label"]),
    )
    return styles[turn % len(styles)]


def action_of(reply: str, schema: Dict[str, Any]) -> Dict[str, Any]:
    """As verifiers reads a reply: an object is the action; anything else is the value of the only required member."""
    text = reply.strip()
    if text.startswith("```"):
        text = text.split("\n", 1)[1].rsplit("```", 1)[0].strip()
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    if isinstance(value, dict):
        return value
    required = schema.get("required", [])
    if len(required) != 1:
        raise ValueError(f"the reply is not an object, and the schema requires {required}")
    return {required[0]: value}


async def play(client_class: Any, base: str, episode: int, as_verifiers: bool) -> str:
    chance = random.Random(episode)
    schema: Dict[str, Any] = {}
    async with client_class(base_url=base) as client:
        if as_verifiers:
            with urllib.request.urlopen(f"{base}/schema", timeout=10) as response:
                schema = json.load(response)["action"]
        result = await client.reset(seed=episode)
        total, turn = 0.0, 0
        while not result.done:
            observation = result.observation
            if as_verifiers:
                json.dumps({"observation": observation, "action_schema": schema})  # the prompt
                action = action_of(answer(observation, chance, turn), schema)
            else:
                action = {"choice": chance.choice(observation["choices"])["id"]}
            result = await client.step(action)
            refused = result.observation.get("refused")
            if refused:
                raise RuntimeError(f"{base}: {action} was refused: {refused}")
            total += result.reward or 0.0
            turn += 1
        state = await client.state()
        assert state["done"] and state["step_count"] == turn, state
        outcome = result.observation["outcome"]
        assert total == {"win": 1, "draw": 0, "loss": -1}[outcome], (outcome, total)
        return outcome


async def play_all(client_class: Any, url: str, episodes: int, as_verifiers: bool) -> None:
    gate = asyncio.Semaphore(8)
    counts: Dict[str, collections.Counter] = {game: collections.Counter() for game in GAMES}

    async def one(episode: int) -> None:
        game = GAMES[episode % len(GAMES)]
        async with gate:
            counts[game][await play(client_class, f"{url}/openenv/{game}", episode, as_verifiers)] += 1

    await asyncio.gather(*(one(episode) for episode in range(episodes)))
    print("in the way of verifiers:" if as_verifiers else "the published client:")
    for game, outcomes in counts.items():
        print(f"  {game}: {sum(outcomes.values())} episodes, {dict(outcomes)}")


def main() -> int:
    if len(sys.argv) not in (4, 5):
        print(__doc__, file=sys.stderr)
        return 2
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
    from openseat.server import Server

    os.environ["OPENSEAT_PROGRAM"] = sys.argv[1]
    client_class = published_client(sys.argv[2], sys.argv[3])
    episodes = int(sys.argv[4]) if len(sys.argv) == 5 else 1000
    with Server([]) as server:
        for as_verifiers in (False, True):
            asyncio.run(play_all(client_class, server.url, episodes, as_verifiers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
