"""All seats of a game as a PettingZoo environment: AEC (one agent after the other) and parallel. Importing this needs
neither PettingZoo nor numpy; with them, the classes are theirs.

    env = openseat.pettingzoo_env.env("connectm")
    env = openseat.pettingzoo_env.parallel_env("rps")

An action is the id of a choice. Who chooses an illegal one loses the game.
"""

from __future__ import annotations

import random
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .client import Env, Step
from .spaces import bits, coder_for, discrete, observation_space

try:
    import pettingzoo

    _AecBase: Any = pettingzoo.AECEnv
    _ParallelBase: Any = pettingzoo.ParallelEnv
except ImportError:
    _AecBase = object
    _ParallelBase = object

_SIMULTANEOUS = ("rps", "chicken")


class _Table:
    """The game behind both forms: who is to choose, what each seat sees, what it was rewarded."""

    def __init__(self, game: str, url: Optional[str], length: int, max_choices: int, encode: Any, rules: Any) -> None:
        self.env = Env(game, url, seat="all", illegal={"reward": 0, "attempts": 1}, **rules)
        self._random = random.Random()
        self.step: Step = self.env.reset(seed=0)
        self.coder = coder_for(self.step, length, max_choices, encode)
        self.seats = len(self.step.views)
        self._views: List[Any] = self.step.views

    def reset(self, seed: Optional[int]) -> None:
        if seed is not None:
            self._random.seed(seed)
        self._take(self.env.reset(seed=self._random.randrange(2**31 - 1)))

    def act(self, seat: int, action: int) -> None:
        self._take(self.env.step({"choice": int(action), "seat": seat}))

    def _take(self, step: Step) -> None:
        self.step = step
        self._views = step.views

    def reward(self, seat: int) -> float:
        return float(self._views[seat]["reward"])

    def awaited(self, seat: int) -> bool:
        return not self.step.done and self.step.seat == seat

    def mask(self, seat: int) -> List[int]:
        if not self.awaited(seat):
            return [0] * self.coder.n
        return self.coder.mask(self.step.choices, self.step.mask)

    def observation(self, seat: int) -> Dict[str, Any]:
        return self.coder.observation(self._views[seat].get("state"), self.mask(seat))

    def info(self, seat: int) -> Dict[str, Any]:
        choices = self.step.choices if self.awaited(seat) else []
        return {"choices": choices, "text": self._views[seat].get("text", "")}


class _Roll:
    """What PettingZoo's base classes say of the agents, also where PettingZoo is not installed."""

    agents: List[str]
    possible_agents: List[str]

    @property
    def num_agents(self) -> int:
        return len(self.agents)

    @property
    def max_num_agents(self) -> int:
        return len(self.possible_agents)

    @property
    def unwrapped(self) -> Any:
        return self


class OpenseatAec(_Roll, _AecBase):  # type: ignore[misc]
    def __init__(
        self,
        game: str,
        url: Optional[str] = None,
        length: int = 256,
        max_choices: int = 512,
        encode: Any = None,
        render_mode: Optional[str] = None,
        **rules: Any,
    ) -> None:
        if _AecBase is not object:
            super().__init__()
        self.metadata = {
            "name": f"{game}_v0",
            "render_modes": ["ansi"],
            "is_parallelizable": game in _SIMULTANEOUS,
        }
        self.render_mode = render_mode
        self._table = _Table(game, url, length, max_choices, encode, rules)
        self.possible_agents = [f"player_{seat}" for seat in range(self._table.seats)]
        self.agents: List[str] = []
        self._observation_spaces = {
            agent: observation_space(length, self._table.coder.n) for agent in self.possible_agents
        }
        self._action_spaces = {agent: discrete(self._table.coder.n) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self._action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> None:
        self._table.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards: Dict[str, float] = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards: Dict[str, float] = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos = {agent: self._table.info(self._seat(agent)) for agent in self.agents}
        self.agent_selection = self.possible_agents[self._table.step.seat]

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(agent)

    def observe(self, agent: str) -> Dict[str, Any]:
        return self._table.observation(self._seat(agent))

    def last(self, observe: bool = True) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            return self._bury(action)
        self._table.act(self._seat(agent), action)
        self._cumulative_rewards[agent] = 0.0
        for each in self.agents:
            self.rewards[each] = self._table.reward(self._seat(each))
            self._cumulative_rewards[each] += self.rewards[each]
            self.infos[each] = self._table.info(self._seat(each))
            self.terminations[each] = self._table.step.done
        if self._table.step.done:
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[self._table.step.seat]
        return None

    def _bury(self, action: Any) -> None:
        """An agent whose game is over takes its last step, and leaves."""
        if action is not None:
            raise ValueError("when an agent is dead, the only valid action is None")
        agent = self.agent_selection
        for table in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del table[agent]  # type: ignore[attr-defined]
        self.agents.remove(agent)
        for each in self.agents:
            self.rewards[each] = 0.0
        if self.agents:
            self.agent_selection = self.agents[0]

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        while self.agents and max_iter > 0:
            max_iter -= 1
            yield self.agent_selection

    def render(self) -> Optional[str]:
        return self._table.step.text if self.render_mode == "ansi" else None

    def close(self) -> None:
        self._table.env.close()


class OpenseatParallel(_Roll, _ParallelBase):  # type: ignore[misc]
    """All agents act at once. In a game of turns, only the action of the agent whose turn it is counts."""

    def __init__(
        self,
        game: str,
        url: Optional[str] = None,
        length: int = 256,
        max_choices: int = 512,
        encode: Any = None,
        render_mode: Optional[str] = None,
        **rules: Any,
    ) -> None:
        self._aec = OpenseatAec(game, url, length, max_choices, encode, render_mode, **rules)
        self.metadata = {"name": f"{game}_v0", "render_modes": ["ansi"]}
        self.render_mode = render_mode
        self._simultaneous = game in _SIMULTANEOUS
        self.possible_agents = list(self._aec.possible_agents)
        self.agents: List[str] = []

    def observation_space(self, agent: str) -> Any:
        return self._aec.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        return self._aec.action_space(agent)

    def reset(
        self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        self._aec.reset(seed)
        self.agents = list(self.possible_agents)
        return self._seen(), self._infos()

    def step(self, actions: Dict[str, Any]) -> Tuple[Dict[str, Any], ...]:
        acting = list(self.agents)
        rewards = {agent: 0.0 for agent in acting}
        waiting = set(acting)
        while waiting and not self._aec._table.step.done:
            agent = self._aec.agent_selection
            if agent not in waiting:
                break
            waiting.discard(agent)
            self._aec.step(int(actions[agent]))
            for each in acting:
                rewards[each] += self._aec.rewards[each]
            if not self._simultaneous:
                break
        done = self._aec._table.step.done
        seen, infos = self._seen(), self._infos()
        if done:
            self.agents = []
        ends = {agent: done for agent in acting}
        return seen, rewards, ends, {agent: False for agent in acting}, infos

    def _seen(self) -> Dict[str, Any]:
        seen = {agent: self._aec.observe(agent) for agent in self.agents}
        if self._simultaneous and not self._aec._table.step.done:
            # Both are to choose, and their choices are the same.
            mask = self._aec._table.mask(self._aec._table.step.seat)
            for observation in seen.values():
                observation["action_mask"] = bits(mask)
        return seen

    def _infos(self) -> Dict[str, Any]:
        return {agent: self._aec.infos[agent] for agent in self.agents}

    def render(self) -> Optional[str]:
        return self._aec.render()

    def close(self) -> None:
        self._aec.close()


def raw_env(game: str = "tictactoe", **arguments: Any) -> OpenseatAec:
    return OpenseatAec(game, **arguments)


def env(game: str = "tictactoe", **arguments: Any) -> Any:
    """With PettingZoo's usual wrappers where it is installed."""
    made: Any = raw_env(game, **arguments)
    if _AecBase is object:
        return made
    from pettingzoo.utils import wrappers

    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(made))


def parallel_env(game: str = "rps", **arguments: Any) -> OpenseatParallel:
    return OpenseatParallel(game, **arguments)
