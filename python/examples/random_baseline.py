"""What random play against a random opponent is worth: the score every learner has to beat."""

import argparse
import random
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # to run from a checkout
import openseat  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connectm")
    parser.add_argument("--episodes", type=int, default=200)
    arguments = parser.parse_args()
    generator = random.Random(0)
    outcomes = {"win": 0, "draw": 0, "loss": 0}
    with openseat.make(arguments.game, opponent="random", fields=["choices"]) as env:
        for seed in range(arguments.episodes):
            step = env.reset(seed=seed, seat=seed % 2)
            while not step.done:
                step = env.step(generator.choice(step.legal))
            outcomes[step.outcome or "draw"] += 1
    print(arguments.game, outcomes)


if __name__ == "__main__":
    main()
