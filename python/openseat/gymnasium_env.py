"""One seat as a Gymnasium environment, and many at once as a vector environment. Importing this needs neither Gymnasium
nor numpy; with them, the classes are theirs.

    env = openseat.gymnasium_env.OpenseatEnv("connectm", opponent="random")
    gymnasium.make("openseat.gymnasium_env:openseat/connectm-v0")

An action is the id of a choice. An illegal one loses the game.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, Dict, List, Optional, Tuple

from .client import Env, ManyEnv, Step
from .spaces import bits, coder_for, discrete, floats, np, observation_space

try:
    import gymnasium

    _Base: Any = gymnasium.Env
    _VectorBase: Any = gymnasium.vector.VectorEnv
except ImportError:
    gymnasium = None  # type: ignore[assignment]
    _Base = object
    _VectorBase = object

_FIELDS = ["state", "text", "choices", "mask"]
_MAX_SEED = 2**31 - 1


def _rules(opponent: Any, seat: Any, options: Any, reward: str) -> Dict[str, Any]:
    return {
        "opponents": opponent,
        "seat": seat,
        "options": options,
        "reward": reward,
        "illegal": {"reward": 0, "attempts": 1},
        "fields": _FIELDS,
    }


def _info(step: Step) -> Dict[str, Any]:
    info = {"choices": step.choices, "text": step.text, "action_mask": bits(step.mask or [])}
    for name in ("outcome", "reason", "refused"):
        if name in step.observation:
            info[name] = step.observation[name]
    return info


def _after(waiting: Step, step: Step) -> Step:
    """What follows an answer while others choose: both rewards are the action's."""
    if waiting.reward is None and step.reward is None:
        return step
    return replace(step, reward=(waiting.reward or 0.0) + (step.reward or 0.0))


class OpenseatEnv(_Base):  # type: ignore[misc]
    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: str,
        opponent: Any = "random",
        seat: Any = 0,
        url: Optional[str] = None,
        options: Optional[Dict[str, Any]] = None,
        reward: str = "terminal",
        length: int = 256,
        max_choices: int = 512,
        encode: Any = None,
        render_mode: Optional[str] = None,
    ) -> None:
        self.render_mode = render_mode
        self._random = random.Random()
        self._env = Env(game, url, **_rules(opponent, seat, options, reward))
        self._step: Step = self._env.reset(seed=0)
        self._coder = coder_for(self._step, length, max_choices, encode)
        self.action_space = discrete(self._coder.n)
        self.observation_space = observation_space(length, self._coder.n)

    def _episode_seed(self, seed: Optional[int]) -> int:
        if gymnasium is not None:
            return int(self.np_random.integers(_MAX_SEED))
        if seed is not None:
            self._random.seed(seed)
        return self._random.randrange(_MAX_SEED)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        if gymnasium is not None:
            super().reset(seed=seed)
        self._step = self._env.reset(seed=self._episode_seed(seed))
        return self._seen()

    def step(self, action: Any) -> Tuple[Dict[str, Any], float, bool, bool, Dict[str, Any]]:
        self._step = self._env.step(int(action))
        observation, info = self._seen()
        return observation, float(self._step.reward or 0.0), self._step.done, False, info

    def _seen(self) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        while self._step.waiting:
            self._step = _after(self._step, self._env.step("wait"))
        mask = self._coder.mask(self._step.choices, self._step.mask)
        return self._coder.observation(self._step.state, mask), {**_info(self._step), "action_mask": bits(mask)}

    def action_mask(self) -> Any:
        return bits(self._coder.mask(self._step.choices, self._step.mask))

    def render(self) -> Optional[str]:
        return self._step.text if self.render_mode == "ansi" else None

    def close(self) -> None:
        self._env.close()


class OpenseatVectorEnv(_VectorBase):  # type: ignore[misc]
    """`num_envs` environments over one socket. The step after the end begins the next episode (NEXT_STEP)."""

    metadata: Dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponent: Any = "random",
        seat: Any = 0,
        url: Optional[str] = None,
        options: Optional[Dict[str, Any]] = None,
        reward: str = "terminal",
        length: int = 256,
        max_choices: int = 512,
        encode: Any = None,
    ) -> None:
        self.num_envs = num_envs
        rules = {**_rules(opponent, seat, options, reward), "fields": ["state", "choices", "mask"]}
        self._many = ManyEnv(game, num_envs, url, **rules)
        self._steps: List[Step] = self._many.reset(seeds=range(num_envs))
        self._coder = coder_for(self._steps[0], length, max_choices, encode)
        self.single_action_space = discrete(self._coder.n)
        self.single_observation_space = observation_space(length, self._coder.n)
        self.action_space = self.single_action_space
        self.observation_space = self.single_observation_space
        if gymnasium is not None:
            batch = gymnasium.vector.utils.batch_space
            self.metadata = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}
            self.action_space = batch(self.single_action_space, num_envs)
            self.observation_space = batch(self.single_observation_space, num_envs)

    def reset(self, *, seed: Any = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        if seed is None:
            seed = random.randrange(_MAX_SEED)
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed)
        self._steps = self._settled(self._many.reset(seeds=seeds))
        return self._batch()

    def step(self, actions: Any) -> Tuple[Dict[str, Any], Any, Any, Any, Dict[str, Any]]:
        answers = self._many.step([int(action) for action in actions])
        self._steps = self._settled([step for step in answers if step is not None])
        rewards = [float(step.reward or 0.0) for step in self._steps]
        ends = [step.done for step in self._steps]
        never = [False] * self.num_envs
        observations, infos = self._batch()
        if np is None:
            return observations, rewards, ends, never, infos
        return observations, np.array(rewards), np.array(ends), np.array(never), infos

    def _settled(self, steps: List[Step]) -> List[Step]:
        while any(step.waiting for step in steps):
            more = self._many.step(["wait" if step.waiting else None for step in steps])
            steps = [old if new is None else _after(old, new) for old, new in zip(steps, more)]
        return steps

    def _batch(self) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        masks = [self._coder.mask(step.choices, step.mask) for step in self._steps]
        seen = [self._coder.observation(step.state, mask) for step, mask in zip(self._steps, masks)]
        batch: Dict[str, Any] = {name: [one[name] for one in seen] for name in ("observation", "action_mask")}
        if np is not None:
            batch = {name: np.stack(rows) for name, rows in batch.items()}
        return batch, {"action_mask": batch["action_mask"]}

    def close(self, **_: Any) -> None:
        self._many.close()


def make_env(game: str = "tictactoe", **arguments: Any) -> OpenseatEnv:
    return OpenseatEnv(game, **arguments)


if gymnasium is not None:
    for _game in ("tictactoe", "connectm", "rps", "chicken"):
        gymnasium.register(
            id=f"openseat/{_game}-v0",
            entry_point="openseat.gymnasium_env:make_env",
            vector_entry_point="openseat.gymnasium_env:OpenseatVectorEnv",
            kwargs={"game": _game},
        )

__all__ = ["OpenseatEnv", "OpenseatVectorEnv", "floats", "make_env"]
