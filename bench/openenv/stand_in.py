"""A stand-in for a published OpenEnv environment: its pattern, rebuilt with Python's standard library. One asyncio process; each socket
has a session with an environment of its own; each message is parsed, checked member by member, run in a pool of threads (as the reference
runs environments), and the answer is made into JSON. The environment is tic-tac-toe against a random opponent, as that of OpenSpiel.
FastAPI, uvicorn and pydantic are missing, and OpenSpiel's states are lists here: the published server does more work for each step.

usage: stand_in.py      prints its port
"""

import asyncio
import concurrent.futures
import json
import random
import sys
from typing import Any, Dict, List, Optional

sys.path.insert(0, __file__.rsplit("/", 3)[0] + "/python")
import base64  # noqa: E402
import hashlib  # noqa: E402
import struct  # noqa: E402

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class TicTacToe:
    def reset(self, seed: Optional[int] = None) -> Dict[str, Any]:
        self.random = random.Random(seed)
        self.board: List[str] = [" "] * 9
        self.over = False
        return self.observe(None)

    def step(self, action: Dict[str, Any]) -> Dict[str, Any]:
        cell = action["action_id"]
        if self.over or self.board[cell] != " ":
            raise ValueError("illegal action")
        for mark in "XO":
            if mark == "O":
                cell = self.random.choice([i for i in range(9) if self.board[i] == " "])
            self.board[cell] = mark
            if any(all(self.board[i] == mark for i in line) for line in LINES):
                self.over = True
                return self.observe(1.0 if mark == "X" else -1.0)
            if " " not in self.board:
                self.over = True
                return self.observe(0.0)
        return self.observe(0.0)

    def observe(self, reward: Optional[float]) -> Dict[str, Any]:
        planes = [1.0 if cell == mark else 0.0 for mark in " XO" for cell in self.board]
        legal = [] if self.over else [i for i in range(9) if self.board[i] == " "]
        observation = {
            "info_state": planes,
            "legal_actions": legal,
            "game_phase": "terminal" if self.over else "playing",
            "current_player_id": 0,
            "opponent_last_action": None,
        }
        return {"observation": observation, "reward": reward, "done": self.over}


def check(message: Any) -> None:
    """What pydantic does: every member has its type, and there are no others."""
    if not isinstance(message, dict) or not isinstance(message.get("type"), str) or set(message) - {"type", "data"}:
        raise ValueError("Invalid message")
    data = message.get("data", {})
    known = {"seed": int, "episode_id": str} if message["type"] == "reset" else {"action_id": int, "game_name": str, "game_params": dict}
    for name, value in data.items():
        if name not in known or not isinstance(value, known[name]):
            raise ValueError("Invalid message")


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    key = next(line.split(": ")[1] for line in head.split("\r\n") if line.lower().startswith("sec-websocket-key"))
    accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
    writer.write(
        f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n".encode()
    )
    environment = TicTacToe()
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=1)
    loop = asyncio.get_running_loop()
    try:
        while True:
            first, second = await reader.readexactly(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack("!H", await reader.readexactly(2))[0]
            mask = await reader.readexactly(4)
            data = await reader.readexactly(size)
            if first & 0x0F == 8:
                break
            pad = (mask * (size // 4 + 1))[:size]
            message = json.loads((int.from_bytes(data, "big") ^ int.from_bytes(pad, "big")).to_bytes(size, "big"))
            check(message)
            if message["type"] == "reset":
                answer = await loop.run_in_executor(pool, environment.reset, message.get("data", {}).get("seed"))
            else:
                answer = await loop.run_in_executor(pool, environment.step, message["data"])
            text = json.dumps({"type": "observation", "data": answer}).encode()
            writer.write(struct.pack("!BBH", 0x81, 126, len(text)) + text)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    pool.shutdown()
    writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
