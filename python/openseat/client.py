"""Environments: one seat at a game, over a socket. Env blocks, AsyncEnv is for asyncio, ManyEnv steps many at once."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Union
from urllib.parse import quote

from ._websocket import AsyncWebSocket, WebSocket
from .server import server_url

JsonObject = Dict[str, Any]
Action = Union[int, str, JsonObject]


class OpenseatError(RuntimeError):
    """The server refused a message: `code` as in docs/protocols/openenv.md, `data` has all that it said."""

    def __init__(self, data: JsonObject) -> None:
        super().__init__(f"{data.get('message')} ({data.get('code')})")
        self.code: str = str(data.get("code"))
        self.data = data


@dataclass(frozen=True)
class Step:
    """What a seat is answered."""

    observation: JsonObject
    reward: Optional[float]
    done: bool
    metadata: JsonObject = field(default_factory=dict)

    @property
    def seat(self) -> int:
        return int(self.observation["seat"])

    @property
    def waiting(self) -> bool:
        """Whether others are to choose now; the only choice is "wait"."""
        return bool(self.observation.get("waiting"))

    @property
    def state(self) -> Any:
        return self.observation.get("state")

    @property
    def text(self) -> str:
        return str(self.observation.get("text", ""))

    @property
    def choices(self) -> List[JsonObject]:
        return list(self.observation.get("choices", []))

    @property
    def mask(self) -> Optional[List[int]]:
        """One number for each id of the catalog, if the game has one."""
        return self.observation.get("mask")

    @property
    def legal(self) -> List[Any]:
        """The ids of the legal choices."""
        if "choices" in self.observation:
            return [choice["id"] for choice in self.observation["choices"]]
        return [id for id, one in enumerate(self.mask or []) if one]

    @property
    def refused(self) -> Optional[str]:
        """Why the last action did not count."""
        return self.observation.get("refused")

    @property
    def outcome(self) -> Optional[str]:
        """"win", "draw" or "loss"; None before the end."""
        return self.observation.get("outcome")

    @property
    def views(self) -> List[JsonObject]:
        """Every seat that the socket plays, if it plays several."""
        return list(self.observation.get("views", []))


def _action(action: Action) -> JsonObject:
    if isinstance(action, dict):
        return action if "choice" in action else {"choice": json.dumps(action)}
    if isinstance(action, str):
        return {"choice": action}
    return {"choice": int(action)}  # numpy's integers, too


def _step(data: JsonObject) -> Step:
    if "error" in data:
        raise OpenseatError(data["error"])
    return Step(data["observation"], data.get("reward"), bool(data["done"]), data.get("metadata") or {})


def _message(kind: str, data: Optional[JsonObject] = None) -> str:
    return json.dumps({"type": kind} if data is None else {"type": kind, "data": data}, separators=(",", ":"))


def _data(text: str) -> JsonObject:
    answer = json.loads(text)
    if answer["type"] == "error":
        raise OpenseatError(answer["data"])
    data: JsonObject = answer["data"]
    return data


def _socket_url(game: str, url: Optional[str]) -> str:
    base = server_url(url)
    for http, ws in (("http://", "ws://"), ("https://", "wss://")):
        if base.startswith(http):
            base = ws + base[len(http) :]
    return f"{base}/openenv/{quote(game, safe='')}/ws"


def _arguments(defaults: JsonObject, given: JsonObject) -> JsonObject:
    return {name: value for name, value in {**defaults, **given}.items() if value is not None}


class Env:
    """One environment. `defaults` are arguments of every reset (docs/protocols/openenv.md)."""

    def __init__(self, game: str, url: Optional[str] = None, token: Optional[str] = None, **defaults: Any) -> None:
        self.game = game
        self.defaults = defaults
        self._socket = WebSocket(_socket_url(game, url), token or os.environ.get("OPENSEAT_TOKEN"))

    def reset(self, **arguments: Any) -> Step:
        return _step(self._ask("reset", _arguments(self.defaults, arguments)))

    def step(self, action: Action) -> Step:
        """`action`: a choice's id or label, an action {"choice": …}, or a model's whole answer."""
        return _step(self._ask("step", _action(action)))

    def state(self) -> JsonObject:
        return self._ask("state")

    def _ask(self, kind: str, data: Optional[JsonObject] = None) -> JsonObject:
        self._socket.send(_message(kind, data))
        return _data(self._socket.receive())

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "Env":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ManyEnv:
    """`count` environments over one socket. With autoreset, the step after the end begins the next episode."""

    def __init__(
        self,
        game: str,
        count: int,
        url: Optional[str] = None,
        token: Optional[str] = None,
        autoreset: bool = True,
        **defaults: Any,
    ) -> None:
        self.game = game
        self.count = count
        self.defaults = {**defaults, "autoreset": autoreset}
        self._socket = WebSocket(_socket_url(game, url), token or os.environ.get("OPENSEAT_TOKEN"))

    def reset(self, seeds: Optional[Sequence[int]] = None, **arguments: Any) -> List[Step]:
        data = {**_arguments(self.defaults, arguments), "count": self.count}
        if seeds is not None:
            data["seeds"] = [int(seed) for seed in seeds]
        results = self._ask("reset_many", data)
        return [step for step in results if step is not None]

    def step(self, actions: Sequence[Optional[Action]]) -> List[Optional[Step]]:
        """None leaves an environment alone, and is its result."""
        return self._ask("step_many", {"actions": [None if action is None else _action(action) for action in actions]})

    def _ask(self, kind: str, data: JsonObject) -> List[Optional[Step]]:
        self._socket.send(_message(kind, data))
        return [None if result is None else _step(result) for result in _data(self._socket.receive())["results"]]

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "ManyEnv":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncEnv:
    """Env for asyncio: `async with openseat.make_async("connectm") as env`."""

    def __init__(self, game: str, url: Optional[str] = None, token: Optional[str] = None, **defaults: Any) -> None:
        self.game = game
        self.defaults = defaults
        self._url = url
        self._token = token or os.environ.get("OPENSEAT_TOKEN")
        self._socket: Optional[AsyncWebSocket] = None

    async def reset(self, **arguments: Any) -> Step:
        return _step(await self._ask("reset", _arguments(self.defaults, arguments)))

    async def step(self, action: Action) -> Step:
        return _step(await self._ask("step", _action(action)))

    async def state(self) -> JsonObject:
        return await self._ask("state")

    async def _ask(self, kind: str, data: Optional[JsonObject] = None) -> JsonObject:
        if self._socket is None:
            self._socket = await AsyncWebSocket.open(_socket_url(self.game, self._url), self._token)
        await self._socket.send(_message(kind, data))
        return _data(await self._socket.receive())

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()

    async def __aenter__(self) -> "AsyncEnv":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _opponents(opponent: Any, arguments: JsonObject) -> JsonObject:
    return arguments if opponent is None else {"opponents": opponent, **arguments}


def make(game: str, opponent: Any = None, url: Optional[str] = None, **arguments: Any) -> Env:
    """An environment of this game. `opponent`: an agent of the server, as "random" or "bot"; arguments as in reset."""
    return Env(game, url, **_opponents(opponent, arguments))


def make_async(game: str, opponent: Any = None, url: Optional[str] = None, **arguments: Any) -> AsyncEnv:
    return AsyncEnv(game, url, **_opponents(opponent, arguments))


def make_many(game: str, count: int, opponent: Any = None, url: Optional[str] = None, **arguments: Any) -> ManyEnv:
    return ManyEnv(game, count, url, **_opponents(opponent, arguments))
