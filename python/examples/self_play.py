"""Two programs play each other in one episode: each has a socket of its own, as two processes would."""

import argparse
import pathlib
import random
import sys
import threading
from typing import Dict, List

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # to run from a checkout
import openseat  # noqa: E402


def play(game: str, seat: int, episodes: int, rewards: Dict[int, List[float]]) -> None:
    generator = random.Random(seat)
    with openseat.make(game, opponent="open") as env:
        for episode in range(episodes):
            step = env.reset(episode_id=f"example-{episode}", seat=seat)
            while not step.done:
                step = env.step("wait" if step.waiting else generator.choice(step.legal))
            rewards[seat].append(float(step.reward or 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connectm")
    parser.add_argument("--episodes", type=int, default=20)
    arguments = parser.parse_args()
    openseat.server_url()  # one server for both
    rewards: Dict[int, List[float]] = {0: [], 1: []}
    players = [
        threading.Thread(target=play, args=(arguments.game, seat, arguments.episodes, rewards)) for seat in rewards
    ]
    for player in players:
        player.start()
    for player in players:
        player.join()
    for first, second in zip(*rewards.values()):
        assert first + second == 0, "what one wins the other loses"
    print({f"seat {seat}": sum(won) for seat, won in rewards.items()})


if __name__ == "__main__":
    main()
