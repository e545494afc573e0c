"""The pages, one small file each. A file's `PAGES` are found by themselves; nothing is listed here."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..routing import Page

__all__ = ["pages_found"]


def pages_found() -> tuple[Page, ...]:
    """The pages of every module here, by module name."""
    modules = sorted(module.name for module in iter_modules(__path__))
    return tuple(page for name in modules for page in import_module(f".{name}", __name__).PAGES)
