"""Evaluates a language model behind an OpenAI-like server: the model reads the text, and its whole answer is the action.

    python3 evaluate_model.py --url http://127.0.0.1:11434/v1 --model llama3 --game tictactoe
"""

import argparse
import json
import pathlib
import sys
import urllib.request
from typing import Any, Dict

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # to run from a checkout
import openseat  # noqa: E402


def ask(url: str, model: str, key: str, question: str) -> str:
    body = {"model": model, "messages": [{"role": "user", "content": question}]}
    request = urllib.request.Request(
        f"{url.rstrip('/')}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {key}"},
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        return str(json.load(answer)["choices"][0]["message"]["content"])


def question(step: openseat.Step) -> str:
    choices = "\n".join(f'{choice["id"]}: {choice["label"]}' for choice in step.choices)
    again = f"\nYour last answer did not count: {step.refused}\n" if step.refused else ""
    return f'{step.text}\n{again}\nYour choices:\n{choices}\nAnswer with one JSON object: {{"choice": ID}}.'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--key", default="none")
    parser.add_argument("--game", default="tictactoe")
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--episodes", type=int, default=5)
    arguments = parser.parse_args()
    totals: Dict[str, Any] = {"win": 0, "draw": 0, "loss": 0, "refused": 0, "answers": 0}
    with openseat.make(arguments.game, opponent=arguments.opponent, illegal={"reward": 0, "attempts": 3}) as env:
        for seed in range(arguments.episodes):
            step = env.reset(seed=seed)
            while not step.done:
                step = env.step(ask(arguments.url, arguments.model, arguments.key, question(step)))
                totals["answers"] += 1
                totals["refused"] += step.refused is not None
            totals[step.outcome or "draw"] += 1
    print(json.dumps(totals))


if __name__ == "__main__":
    main()
