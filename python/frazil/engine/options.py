"""The options of an engine: what is given, else what the environment says (`FRAZIL__STRICT=1`), else the default."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Self

from frazil.progress import Progress

PREFIX = "FRAZIL__"
WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


@dataclass(frozen=True, kw_only=True)
class Options:
    """What an engine may be told.

    device: "auto", "cpu", "cuda" or "cuda:N". "auto" is the CPU for now.
    strict: True raises UnsupportedError for a query that Frazil cannot run, before anything of it runs; False leaves
        to Polars what Frazil refuses, and `last_report` says so.
    threads: CPU threads; 0 means one for each core that this process may use.
    memory_limit: bytes that queries may hold at a time; 0 means no limit of its own. Raises OutOfMemoryError.
    batch_rows: rows in a batch; 0 leaves it to the engine.
    spill_directory: the folder of the files that rows move to while memory_limit presses; "" means the system's folder
        for temporary files. The files have no names there, and go with the query.
    progress: whether a query of more than 2 seconds tells on stderr how it goes; None does so if that is a terminal.
        A function is called with a `frazil.Progress` instead.
    warn: whether a query, or a part of it, that is left to Polars is a FallbackWarning, once for each cause.
    """

    device: str = "auto"
    strict: bool = False
    threads: int = 0
    memory_limit: int = 0
    batch_rows: int = 0
    spill_directory: str = ""
    progress: bool | Callable[[Progress], None] | None = None
    warn: bool = False

    def __post_init__(self) -> None:
        for name in ("strict", "warn"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} is True or False, not {getattr(self, name)!r}")
        for name in ("threads", "memory_limit", "batch_rows"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"{name} is a whole number, not {value!r}")
            if value < 0:
                raise ValueError(f"{name} is 0 or more, not {value}")
        if not isinstance(self.device, str):
            raise TypeError(f"device is a text such as 'cpu', not {self.device!r}")
        if not isinstance(self.spill_directory, str):
            raise TypeError(f"spill_directory is the path of a folder, not {self.spill_directory!r}")
        if not (self.progress is None or isinstance(self.progress, bool) or callable(self.progress)):
            raise TypeError(f"progress is True, False, None or a function, not {self.progress!r}")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Options from what is given, where None stands for nothing, and from the environment."""
        for name in given:
            require_known(name, "frazil.Engine has no option {!r}; the nearest is {!r}", TypeError)
        stated = {name: value for name, value in given.items() if value is not None}
        return cls(**from_environment(os.environ) | stated)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """The options that `to_dict` gave, or some of them; the environment is not asked."""
        for name in given:
            require_known(name, "there is no option {!r}; the nearest is {!r}", TypeError)
        return cls(**given)

    def to_dict(self) -> dict[str, Any]:
        """All options by name."""
        return {name: getattr(self, name) for name in NAMES}

    def not_default(self) -> dict[str, Any]:
        """The options that are not as they are without being told."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) != field.default}


NAMES = [field.name for field in fields(Options)]


def require_known(name: str, message: str, error: type[Exception]) -> None:
    """Raise for a name that is no option; the message has a place for it and one for the nearest that there is."""
    if name not in NAMES:
        raise error(message.format(name, get_close_matches(name, NAMES, n=1, cutoff=0.0)[0]))


def from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """The options that variables of the environment set."""
    found: dict[str, Any] = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX):
            continue
        name = variable.removeprefix(PREFIX).lower()
        require_known(name, f"{variable} names no option ({{!r}}); the nearest is {{!r}}", ValueError)
        found[name] = parsed(variable, name, text)
    return found


def parsed(variable: str, name: str, text: str) -> object:
    """The value that a text gives an option."""
    if name in ("device", "spill_directory"):
        return text
    if name in ("strict", "warn", "progress"):
        if text.lower() not in WORDS:
            raise ValueError(f"{variable}={text!r} is none of {', '.join(WORDS)}")
        return WORDS[text.lower()]
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{variable}={text!r} is no whole number") from None
