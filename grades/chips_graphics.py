"""Catalogue rows: workstation and consumer chips, which are rented too.

Four chips share the number 6000 and are four goods: ``Quadro RTX 6000`` (Turing, 24 GB),
``RTX A6000`` (Ampere, 48 GB), ``RTX 6000 Ada`` (48 GB) and ``RTX PRO 6000`` (Blackwell, 96 GB). A bare
``RTX 4000``, ``RTX 5000`` or ``RTX 6000`` is the Turing board: every later one added a word to be told
from it (A, Ada, PRO), and catalogues keep to that (dstack's gpuhunt lists ``RTX6000`` as 24 GB, compute
capability 7.5, beside ``RTX6000Ada``; Lambda's and Paperspace's RTX 6000 and RTX 5000 are Turing). A
stated architecture or memory overrules it: ``RTX 6000 48GB`` is the Ada, ``RTX 6000 Blackwell`` the PRO.

The Server, Workstation and Max-Q editions of the RTX PRO boards are one chip here, as sellers list them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .chips import Chip, chip

_24 = {24: (22, 23)}
_48 = {48: (44, 45, 46, 47)}
_PRO_EDITIONS = ("workstation", "maxq", "se", "we", "ws", "wk", "bse", "s")


def _quadro_rtx(number: int, memory: Mapping[int, tuple[int, ...]], band: tuple[int, int]) -> Chip:
    also = (f"q rtx {number}", f"rtx {number}")
    return chip(f"Quadro RTX {number}", "NVIDIA", "Turing", "PCIe", memory, cents=band, also=also)


def _quadro(name: str, architecture: str, memory: int, band: tuple[int, int]) -> Chip:
    also = (name.lower(),)
    return chip(
        f"Quadro {name}", "NVIDIA", architecture, "PCIe", {memory: (memory - 1,)}, cents=band, also=also
    )


def _rtx_a(number: int, memory: Mapping[int, tuple[int, ...]], band: tuple[int, int]) -> Chip:
    also = (f"a{number}", f"quadro rtx a{number}")
    return chip(f"RTX A{number}", "NVIDIA", "Ampere", "PCIe", memory, cents=band, also=also)


def _rtx_ada(number: int, memory: Mapping[int, tuple[int, ...]], band: tuple[int, int]) -> Chip:
    evident = (f"rtx {number}", f"{number}")
    return chip(f"RTX {number} Ada", "NVIDIA", "Ada", "PCIe", memory, cents=band, evident=evident)


def _rtx_pro(number: int, memory: Mapping[int, tuple[int, ...]], band: tuple[int, int]) -> Chip:
    name = f"RTX PRO {number}"
    return chip(
        name, "NVIDIA", "Blackwell", "PCIe", memory, cents=band,
        also=(name.lower(), f"pro {number}"), evident=(f"rtx {number}", f"{number}"), editions=_PRO_EDITIONS,
    )  # fmt: skip


WORKSTATION_CHIPS: tuple[Chip, ...] = (
    _quadro("M4000", "Maxwell", 8, (2, 200)),
    _quadro("P4000", "Pascal", 8, (2, 300)),
    _quadro("P5000", "Pascal", 16, (3, 400)),
    _quadro("P6000", "Pascal", 24, (4, 500)),
    _quadro_rtx(4000, {8: (7,)}, (4, 500)),
    _quadro_rtx(5000, {16: (15,)}, (4, 600)),
    _quadro_rtx(6000, _24, (6, 1_000)),
    _quadro_rtx(8000, _48, (8, 1_000)),
    _rtx_a(2000, {6: (5,), 12: (11,)}, (2, 200)),
    _rtx_a(4000, {16: (14, 15)}, (3, 400)),
    _rtx_a(4500, {20: (18, 19)}, (4, 400)),
    _rtx_a(5000, _24, (5, 500)),
    _rtx_a(5500, _24, (5, 500)),
    _rtx_a(6000, _48, (10, 1_000)),
    _rtx_ada(2000, {16: (15,)}, (3, 300)),
    _rtx_ada(4000, {20: (18, 19)}, (5, 400)),
    chip(
        "RTX 4000 SFF Ada", "NVIDIA", "Ada", "PCIe", {20: (18, 19)}, cents=(5, 400),
        also=("rtx 4000 sff",), evident=("4000 sff",),
    ),
    _rtx_ada(4500, _24, (6, 500)),
    _rtx_ada(5000, {32: (29, 30, 31)}, (8, 700)),
    _rtx_ada(6000, _48, (12, 1_000)),
    _rtx_pro(4000, _24, (8, 600)),
    _rtx_pro(4500, {32: (30, 31)}, (10, 800)),
    _rtx_pro(5000, {48: (45, 46, 47), 72: (70, 71)}, (12, 1_200)),
    _rtx_pro(6000, {96: (94, 95, 97)}, (20, 2_000)),
    chip("Radeon PRO V520", "AMD", "RDNA", "PCIe", {8: ()}, cents=(4, 300), also=("v520", "pro v520")),
    chip("Radeon PRO V620", "AMD", "RDNA2", "PCIe", {32: ()}, cents=(5, 400), also=("v620", "pro v620")),
    chip("Radeon PRO W7900", "AMD", "RDNA3", "PCIe", {48: ()}, cents=(8, 600), also=("w7900", "pro w7900")),
)  # fmt: skip

_GEFORCE = """
GTX 1050 Ti      Pascal    4        1   40
GTX 1060         Pascal    3 6      1   60
GTX 1070         Pascal    8        1   60
GTX 1070 Ti      Pascal    8        1   60
GTX 1080         Pascal    8        1   80
GTX 1080 Ti      Pascal    11       1   150
GTX 1650         Turing    4        1   50
GTX 1650 Super   Turing    4        1   50
GTX 1660         Turing    6        1   60
GTX 1660 Super   Turing    6        1   60
GTX 1660 Ti      Turing    6        1   60
RTX 2060         Turing    6 12     1   100
RTX 2060 Super   Turing    8        1   100
RTX 2070         Turing    8        1   100
RTX 2070 Super   Turing    8        1   100
RTX 2080         Turing    8        1   150
RTX 2080 Super   Turing    8        1   150
RTX 2080 Ti      Turing    11 22    2   250
RTX 3050         Ampere    6 8      1   100
RTX 3060         Ampere    8 12     1   150
RTX 3060 Ti      Ampere    8        1   150
RTX 3070         Ampere    8        1   150
RTX 3070 Ti      Ampere    8        1   150
RTX 3080         Ampere    10 12    2   200
RTX 3080 Ti      Ampere    12       2   250
RTX 3090         Ampere    24       4   300
RTX 3090 Ti      Ampere    24       4   300
RTX 4060         Ada       8        1   150
RTX 4060 Ti      Ada       8 16     2   200
RTX 4070         Ada       12       2   200
RTX 4070 Super   Ada       12       2   200
RTX 4070 Ti      Ada       12       2   250
RTX 4070 Ti Super Ada      16       3   250
RTX 4080         Ada       16       3   300
RTX 4080 Super   Ada       16       3   300
RTX 4090         Ada       24 48    6   400
RTX 4090 D       Ada       24 48    6   400
RTX 5060         Blackwell 8        2   200
RTX 5060 Ti      Blackwell 8 16     2   200
RTX 5070         Blackwell 12       2   250
RTX 5070 Ti      Blackwell 16       3   300
RTX 5080         Blackwell 16       4   350
RTX 5090         Blackwell 32       8   600
RTX 5090 D       Blackwell 24 32    8   600
"""
"""Name, architecture, memory sizes in GB, band in cents. 48 GB on an RTX 4090 and 22 GB on an RTX 2080 Ti
are modified boards that are really offered."""


def _written(gigabytes: int) -> tuple[int, ...]:
    """What a driver reports of a consumer board: a little less, and 22 of 24 where ECC is on."""
    return (22, 23) if gigabytes == 24 else (gigabytes - 1,) if gigabytes >= 10 else ()


def _geforce() -> Iterator[Chip]:
    for line in _GEFORCE.strip().splitlines():
        words = line.split()
        at = next(
            i for i, word in enumerate(words) if word in ("Pascal", "Turing", "Ampere", "Ada", "Blackwell")
        )
        name, architecture = " ".join(words[:at]), words[at]
        *sizes, low, high = (int(word) for word in words[at + 1 :])
        lower = name.lower()
        also = [lower.removeprefix("rtx ").removeprefix("gtx ")]
        if "super" in lower:  # marketplaces write 4080S and 4070S Ti
            short = [f"{word}s" if word.isdigit() else word for word in lower.split() if word != "super"]
            also += [" ".join(short), " ".join(short[1:])]
        memory = {size: _written(size) for size in sizes}
        yield chip(name, "NVIDIA", architecture, "PCIe", memory, cents=(low, high), also=tuple(also))


CONSUMER_CHIPS: tuple[Chip, ...] = (
    *_geforce(),
    chip("TITAN Xp", "NVIDIA", "Pascal", "PCIe", {12: (11,)}, cents=(1, 200)),
    chip("TITAN V", "NVIDIA", "Volta", "PCIe", {12: (11,)}, cents=(2, 300)),
    chip("TITAN RTX", "NVIDIA", "Turing", "PCIe", _24, cents=(3, 300)),
    chip(
        "Radeon RX 7900 XTX",
        "AMD",
        "RDNA3",
        "PCIe",
        {24: ()},
        cents=(4, 400),
        also=("rx 7900 xtx", "7900 xtx"),
    ),
)
