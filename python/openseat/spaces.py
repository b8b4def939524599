"""Spaces and arrays of the environments: Gymnasium's and numpy's where they are installed, else small ones of the same
form, so that the environments run with the standard library alone.
"""

from __future__ import annotations

import random
import zlib
from typing import Any, Callable, Dict as DictType, List, Optional, Sequence

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]
try:
    from gymnasium import spaces as _gymnasium
except ImportError:
    _gymnasium = None  # type: ignore[assignment]

LENGTH = 256


def floats(values: Sequence[float]) -> Any:
    return list(values) if np is None else np.array(values, dtype=np.float32)


def bits(values: Sequence[int]) -> Any:
    return list(values) if np is None else np.array(values, dtype=np.int8)


def flatten(state: Any, length: int = LENGTH) -> List[float]:
    """The leaves of a JSON value, in the order of its names, as `length` numbers. A blank is 0, another single character
    its code point divided by 128, a longer text a fixed number between 0 and 1. Raises ValueError if there are more.
    """
    leaves: List[float] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for name in sorted(value):
                walk(value[name])
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, str):
            one = 0.0 if value.strip() == "" else ord(value) / 128 if len(value) == 1 else None
            leaves.append(zlib.crc32(value.encode()) / 2**32 if one is None else one)
        else:
            leaves.append(float(value or 0))

    walk(state)
    if len(leaves) > length:
        raise ValueError(f"the state has {len(leaves)} values, more than length={length}: pass length= or encode=")
    return leaves + [0.0] * (length - len(leaves))


class Space:
    def __init__(self, seed: Optional[int] = None) -> None:
        self._random = random.Random(seed)

    def seed(self, seed: Optional[int] = None) -> None:
        self._random = random.Random(seed)


class Discrete(Space):
    def __init__(self, n: int, seed: Optional[int] = None) -> None:
        super().__init__(seed)
        self.n = n
        self.start = 0

    def sample(self, mask: Optional[Sequence[int]] = None) -> int:
        legal = range(self.n) if mask is None else [id for id in range(self.n) if mask[id]]
        return self._random.choice(legal) if legal else self.start

    def contains(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < self.n


class MultiBinary(Space):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = n
        self.shape = (n,)

    def contains(self, value: Any) -> bool:
        return len(value) == self.n and all(one in (0, 1) for one in value) and (
            isinstance(value, list) or str(value.dtype) == "int8"
        )


class Box(Space):
    def __init__(self, length: int) -> None:
        super().__init__()
        self.shape = (length,)

    def contains(self, value: Any) -> bool:
        return len(value) == self.shape[0] and all(isinstance(float(one), float) for one in value) and (
            isinstance(value, list) or str(value.dtype) == "float32"
        )


class Dict(Space):
    def __init__(self, spaces: DictType[str, Any]) -> None:
        super().__init__()
        self.spaces = spaces

    def __getitem__(self, name: str) -> Any:
        return self.spaces[name]

    def contains(self, value: Any) -> bool:
        return set(value) == set(self.spaces) and all(space.contains(value[name]) for name, space in self.spaces.items())


def discrete(n: int) -> Any:
    return Discrete(n) if _gymnasium is None else _gymnasium.Discrete(n)


def observation_space(length: int, n: int) -> Any:
    if _gymnasium is None:
        return Dict({"observation": Box(length), "action_mask": MultiBinary(n)})
    return _gymnasium.Dict(
        {
            "observation": _gymnasium.Box(-np.inf, np.inf, (length,), np.float32),
            "action_mask": _gymnasium.Box(0, 1, (n,), np.int8),
        }
    )


class Coder:
    """Turns positions into observations, and actions into choices."""

    def __init__(self, n: int, has_catalog: bool, length: int, encode: Optional[Callable[[Any], Sequence[float]]]) -> None:
        self.n = n
        self.has_catalog = has_catalog
        self.length = length
        self._encode = encode or (lambda state: flatten(state, length))

    def mask(self, choices: Sequence[Any], mask: Optional[Sequence[int]]) -> List[int]:
        if self.has_catalog:
            return list(mask) if mask is not None else [0] * self.n
        if len(choices) > self.n:
            raise ValueError(f"{len(choices)} choices are legal, more than max_choices={self.n}: pass max_choices=")
        return [1] * len(choices) + [0] * (self.n - len(choices))

    def observation(self, state: Any, mask: Sequence[int]) -> DictType[str, Any]:
        return {"observation": floats(self._encode(state)), "action_mask": bits(mask)}


def coder_for(step: Any, length: int, max_choices: int, encode: Any) -> Coder:
    """Of the game whose first position this is."""
    catalog = step.mask
    return Coder(max_choices if catalog is None else len(catalog), catalog is not None, length, encode)
