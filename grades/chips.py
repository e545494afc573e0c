"""What the catalogue says of one chip: its names, sizes, form factors and a wide price band."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..records import MICROS_PER_CENT

MemorySizes = tuple[tuple[int, tuple[int, ...]], ...]
"""Canonical sizes in GB, each with the whole numbers it is written as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One GPU model that is rented by the hour, whatever board it sits on.

    Boards, memory sizes and editions of one model are one chip; a grade tells them apart by
    ``form_factor`` and ``memory_gb``. Prices are integer micro-USD per GPU-hour.
    """

    name: str
    """Canonical name, the value of an observation's ``chip``."""
    vendor: str
    """NVIDIA, AMD or Intel."""
    architecture: str
    """The maker's architecture; tells ``RTX 6000 Ada`` from ``Quadro RTX 6000``."""
    form_factors: tuple[str, ...]
    """What it is sold as. Empty where the model is itself a module (GH200)."""
    memory: MemorySizes
    """Sizes seen on the market. Makers, drivers and sellers count the same memory differently:
    decimal GB, GiB, and what error correction or the driver leaves free."""
    price_low_micros: int
    price_high_micros: int
    """A wide band, for marking doubtful prices only, never for leaving one out. Its source is
    judgement over real offers of 2022 to 2026: below the cheapest spot or peer offer thought
    genuine, above the dearest region on demand. It is no statistic and no forecast."""
    spellings: tuple[str, ...]
    """Model words (order does not matter) that name this chip and no other."""
    spellings_with_evidence: tuple[str, ...] = ()
    """Model words that name this chip only if its architecture or memory is stated too."""
    editions: tuple[str, ...] = ()
    """Words for variants of the board that are the same good here (``Server Edition``)."""
    host_memory_gb: tuple[int, ...] = ()
    """Memory of the CPU on the same module, which some names state instead of the GPU's."""

    @property
    def memory_gb(self) -> tuple[int, ...]:
        """The canonical memory sizes in GB."""
        return tuple(size for size, _ in self.memory)

    def canonical_memory_gb(self, written_gb: int) -> int | None:
        """The canonical size a written whole number of GB stands for; None if it is none of them."""
        return next((size for size, as_written in self.memory if written_gb in as_written), None)


def chip(
    name: str,
    vendor: str,
    architecture: str,
    forms: str,
    memory: Mapping[int, tuple[int, ...]],
    *,
    cents: tuple[int, int],
    also: tuple[str, ...] = (),
    evident: tuple[str, ...] = (),
    editions: tuple[str, ...] = (),
    host: tuple[int, ...] = (),
) -> Chip:
    """Write a catalogue row: ``forms`` separated by spaces, ``memory`` as size → other ways to write it,
    ``cents`` the price band per GPU-hour.

    The name in lower case is a spelling unless ``evident`` holds one, in which case the name's
    last word is its architecture and the rest needs it stated.
    """
    own = () if evident else (name.lower(),)
    return Chip(
        name=name,
        vendor=vendor,
        architecture=architecture,
        form_factors=tuple(forms.split()),
        memory=tuple((size, tuple(sorted({size, *written}))) for size, written in sorted(memory.items())),
        price_low_micros=cents[0] * MICROS_PER_CENT,
        price_high_micros=cents[1] * MICROS_PER_CENT,
        spellings=own + also,
        spellings_with_evidence=evident,
        editions=editions,
        host_memory_gb=host,
    )
