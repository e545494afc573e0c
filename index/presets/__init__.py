"""Presets: public methodologies of the field as data, each key said to be public or assumed.

Owns what others publish about their indices, in the keys of ``[methodologies.*]``. May import records. A preset
is a reading of what is public; it is not the index, and its values are not the publisher's. A new one is
one file and a line in ``shipped.py``; raise its version whenever a key would change.
"""

from __future__ import annotations

from .base import Keyed, Preset, Standing
from .shipped import PRESETS, preset_named, with_preset

__all__ = ["PRESETS", "Keyed", "Preset", "Standing", "preset_named", "with_preset"]
