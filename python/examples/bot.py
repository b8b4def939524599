#!/usr/bin/env python3
"""A bot for a tournament: one JSON object a line (docs/bots.md of the project). It prefers the middle of the list of choices.

    openseat tournament connectm --agents random,cmd:./bot.py
"""

import json
import sys


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["type"] == "choose":
            choices = asked["choices"]
            print(json.dumps({"choice": choices[len(choices) // 2]["id"]}), flush=True)


if __name__ == "__main__":
    main()
