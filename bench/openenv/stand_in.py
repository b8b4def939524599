"""A stand-in for a published OpenEnv environment: its pattern, rebuilt with the FastAPI, uvicorn and websockets of Debian 12. Each socket has a
session with an environment and a thread of its own; each message is parsed, made into a model, and run in that thread; the answer is a
model that is written as JSON. The environment is tic-tac-toe against a random opponent, as that of OpenSpiel.

Two things differ from the published one. OpenSpiel is missing: its states are lists here, which are less work. And Debian has pydantic 1, which is slower
than pydantic 2: with "plain" there are no models at all, only dictionaries, which is less work than either.

usage: stand_in.py plain|pydantic      prints its port; needs python3-fastapi, python3-uvicorn and python3-websockets
"""

import asyncio
import concurrent.futures
import json
import random
import socket
import sys
from typing import Any, Dict, List, Optional

import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, Extra

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Strict(BaseModel):
    class Config:
        extra = Extra.forbid


class Message(Strict):
    type: str
    data: Dict[str, Any] = {}


class Action(Strict):
    action_id: int
    game_name: str = "tic_tac_toe"
    game_params: Dict[str, Any] = {}
    metadata: Dict[str, Any] = {}


class Observation(Strict):
    info_state: List[float]
    legal_actions: List[int]
    game_phase: str
    current_player_id: int
    opponent_last_action: Optional[int] = None
    done: bool = False
    reward: Optional[float] = None
    metadata: Dict[str, Any] = {}


class Answer(Strict):
    type: str = "observation"
    data: Dict[str, Any]


class TicTacToe:
    def reset(self, seed: Optional[int] = None) -> Dict[str, Any]:
        self.random = random.Random(seed)
        self.board: List[str] = [" "] * 9
        self.last: Optional[int] = None
        self.over = False
        return self.observe(None)

    def step(self, cell: int) -> Dict[str, Any]:
        if self.over or self.board[cell] != " ":
            raise ValueError("illegal action")
        for mark in "XO":
            if mark == "O":
                self.last = cell = self.random.choice([i for i in range(9) if self.board[i] == " "])
            self.board[cell] = mark
            if any(all(self.board[i] == mark for i in line) for line in LINES):
                self.over = True
                return self.observe(1.0 if mark == "X" else -1.0)
            if " " not in self.board:
                self.over = True
                return self.observe(0.0)
        return self.observe(0.0)

    def observe(self, reward: Optional[float]) -> Dict[str, Any]:
        return {
            "info_state": [1.0 if cell == mark else 0.0 for mark in " XO" for cell in self.board],
            "legal_actions": [] if self.over else [i for i in range(9) if self.board[i] == " "],
            "game_phase": "terminal" if self.over else "playing",
            "current_player_id": 0,
            "opponent_last_action": self.last,
            "done": self.over,
            "reward": reward,
        }


def answer_of(seen: Dict[str, Any], plain: bool) -> str:
    if plain:
        done, reward = seen.pop("done"), seen.pop("reward")
        return json.dumps({"type": "observation", "data": {"observation": seen, "reward": reward, "done": done}})
    model = Observation(**seen)
    shown = model.dict(exclude={"reward", "done", "metadata"})
    return Answer(data={"observation": shown, "reward": model.reward, "done": model.done}).json()


def make(plain: bool) -> FastAPI:
    app = FastAPI()

    @app.websocket("/ws")
    async def play(websocket: WebSocket) -> None:
        await websocket.accept()
        environment = TicTacToe()
        loop = asyncio.get_running_loop()
        with concurrent.futures.ThreadPoolExecutor(max_workers=1) as pool:
            try:
                while True:
                    raw = json.loads(await websocket.receive_text())
                    kind, data = (raw["type"], raw.get("data", {})) if plain else (lambda m: (m.type, m.data))(Message(**raw))
                    if kind == "reset":
                        seen = await loop.run_in_executor(pool, environment.reset, data.get("seed"))
                    else:
                        cell = data["action_id"] if plain else Action(**data).action_id
                        seen = await loop.run_in_executor(pool, environment.step, cell)
                    await websocket.send_text(answer_of(seen, plain))
            except WebSocketDisconnect:
                pass

    return app


def main() -> int:
    if sys.argv[1:] not in (["plain"], ["pydantic"]):
        print(__doc__, file=sys.stderr)
        return 2
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(make(sys.argv[1] == "plain"), log_level="critical", ws="websockets", lifespan="off")
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
