"""A table of values learns Connect-M on a small board by playing against a random opponent (Monte Carlo control)."""

import argparse
import json
import pathlib
import random
import sys
from collections import defaultdict
from typing import Dict, List, Tuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # to run from a checkout
import openseat  # noqa: E402

Table = Dict[Tuple[str, int], float]


def position(step: openseat.Step) -> str:
    return "".join("".join(row) for row in step.state["board"])


def play(env: openseat.Env, values: Table, seed: int, explore: float, generator: random.Random) -> Tuple[List[Tuple[str, int]], float]:
    path: List[Tuple[str, int]] = []
    step = env.reset(seed=seed)
    while not step.done:
        here = position(step)
        if generator.random() < explore:
            action = generator.choice(step.legal)
        else:
            action = max(step.legal, key=lambda id: (values[here, id], generator.random()))
        path.append((here, action))
        step = env.step(action)
    return path, float(step.reward or 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    values: Table = defaultdict(float)
    counts: Dict[Tuple[str, int], int] = defaultdict(int)
    board = {"columns": 5, "rows": 4, "m": 3}
    with openseat.make("connectm", opponent="random", options=board, fields=["state", "choices"]) as env:
        for episode in range(arguments.episodes):
            path, reward = play(env, values, arguments.seed + episode, 0.2, generator)
            for pair in path:
                counts[pair] += 1
                values[pair] += (reward - values[pair]) / counts[pair]
        tests = [play(env, values, 10**6 + game, 0.0, generator)[1] for game in range(300)]
        chance = [play(env, defaultdict(float), 10**6 + game, 1.0, generator)[1] for game in range(300)]
    print(json.dumps({"score": sum(tests) / len(tests), "random": sum(chance) / len(chance), "positions": len(counts)}))


if __name__ == "__main__":
    main()
