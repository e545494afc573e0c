"""A serving benchmark row, re-based so that every throughput is per GPU of the whole deployment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple

Percentile = Literal["median", "p90", "p99"]
PERCENTILES: tuple[Percentile, ...] = ("median", "p90", "p99")


class Stack(NamedTuple):
    """What serves: rows of one stack form one frontier."""

    hardware: str
    framework: str
    spec_decoding: str
    precision: str

    @property
    def name(self) -> str:
        """``framework/spec_decoding``, and ``hardware/…/precision`` in full by ``str``."""
        return f"{self.framework}/{self.spec_decoding}"

    def __str__(self) -> str:
        return "/".join(self)

    def is_called(self, written: str) -> bool:
        """Whether a person who writes this means this stack."""
        key = written.strip().casefold()
        return key in (self.name.casefold(), str(self).casefold())


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingRow:
    """One measured point. Throughput is tokens/s per GPU over *all* GPUs of the deployment, seconds are
    seconds, interactivity is output tokens/s per user; ``p99`` interactivity is the slow tail. Unknown is None.
    """

    stack: Stack
    model: str
    isl: int
    osl: int
    concurrency: int | None
    date: date
    disaggregated: bool
    gpus: int | None
    """GPUs of the deployment on a disaggregated row; None elsewhere, where the file's counts mean nothing."""
    total_tokens_per_second_per_gpu: float
    output_tokens_per_second_per_gpu: float
    input_tokens_per_second_per_gpu: float | None
    median_interactivity: float
    p90_interactivity: float | None
    p99_interactivity: float | None
    median_ttft_seconds: float | None
    p90_ttft_seconds: float | None
    p99_ttft_seconds: float | None
    where: str
    """Place in the file, for sentences."""

    def ttft_seconds(self, percentile: Percentile) -> float | None:
        """Time to the first token at a percentile."""
        return {
            "median": self.median_ttft_seconds,
            "p90": self.p90_ttft_seconds,
            "p99": self.p99_ttft_seconds,
        }[percentile]


@dataclass(frozen=True, slots=True)
class ServingFile:
    """The rows of a file, the sentences about rows that were refused, and notes on how it was read."""

    rows: tuple[ServingRow, ...]
    refused: tuple[str, ...]
    notes: tuple[str, ...]
    comments: tuple[str, ...] = ()
    """Comment lines at the head of the file: the licence and the attribution it asks for."""


def rebase(per_gpu: float, gpus_divided_by: int, gpus_of_deployment: int) -> float:
    """Throughput per GPU of a part of a deployment, restated per GPU of all of it.

    On disaggregated rows output is divided by the decode GPUs only and input by the prefill GPUs only:
    output × decode / (prefill + decode). Raises ValueError for counts that are not positive.
    """
    if gpus_divided_by <= 0 or gpus_of_deployment <= 0:
        raise ValueError(f"{gpus_divided_by} of {gpus_of_deployment} GPUs is no part of a deployment")
    return per_gpu * gpus_divided_by / gpus_of_deployment
