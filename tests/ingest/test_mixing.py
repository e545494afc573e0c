"""Digests that are no seal tell apart all that differs by accident, and follow the published generator."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from rentmark.ingest.mixing import mix, text_digests

STEP = 0x9E3779B97F4A7C15


def test_mixing_follows_the_published_generator_and_is_one_to_one() -> None:
    """The first numbers of SplitMix64 from seed 0, as its authors' reference code prints them."""
    steps = np.array([STEP, 2 * STEP % 2**64], np.uint64).view(np.int64)
    assert mix(steps).view(np.uint64).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    assert len(np.unique(mix(np.arange(100_000, dtype=np.int64)))) == 100_000


@given(st.lists(st.text("aé\x00 ", max_size=20), max_size=30), st.integers(0, 3))
def test_texts_have_one_digest_where_they_are_equal_wherever_they_lie(texts: list[str], cut: int) -> None:
    """Zeros at the end of a text are told from those that fill up its last word."""
    digests = text_digests(pa.array(texts, pa.string())).tolist()
    assert len(set(digests)) == len(set(texts))
    assert dict(zip(texts, digests, strict=True)) == {
        text: text_digests(pa.array([text])).tolist()[0] for text in texts
    }
    assert text_digests(pa.array(texts, pa.string()).slice(cut)).tolist() == digests[cut:]


def test_every_flipped_bit_moves_about_half_of_a_digest() -> None:
    text = bytearray(b"a price of 3.123456 dollars")
    before = text_digests(pa.array([bytes(text)], pa.binary()).cast(pa.string())).view(np.uint64)[0]
    moved = []
    for place in range(len(text)):
        flipped = text.copy()
        flipped[place] ^= 1
        after = text_digests(pa.array([flipped.decode()])).view(np.uint64)[0]
        moved.append((int(before) ^ int(after)).bit_count())
    assert min(moved) > 12
    assert 28 < sum(moved) / len(moved) < 36
