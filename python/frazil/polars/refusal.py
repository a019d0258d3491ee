"""How a translation ends that cannot go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Refused(Exception):
    """This part of the plan is not for Frazil."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def shown(look: Callable[..., T], *arguments: object) -> T:
    """What the traverser shows; refused if it does not show it."""
    try:
        return look(*arguments)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  Polars' PanicException is no Exception
        text = str(error).partition("\n")[0]
        raise Refused("hidden", f"Polars does not show it ({type(error).__name__}: {text})") from None
