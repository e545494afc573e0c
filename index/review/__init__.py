"""The committee's review of a benchmark: who moved it, who could, and what its rules make of the same data.

Owns one small file per section, each a function from days (ballots, windows, state, fixings) to typed
results, the JSON of them, and the page they are printed on. May import records, grades, drawing and its own
room. Whatever is re-fixed goes through the engine's own functions, so screens, caps, gates, hierarchy and
memory hold as they do in a fixing.
"""

from __future__ import annotations

from .days import Day
from .moves import ChangeStory, SellerPrice, WithoutMove, who_moved_it
from .telling import change_sentence

__all__ = ["ChangeStory", "Day", "SellerPrice", "WithoutMove", "change_sentence", "who_moved_it"]
