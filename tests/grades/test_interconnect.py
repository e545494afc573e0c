"""Interconnects are read into four words, and nothing is read into a text that names none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.grades import INTERCONNECTS, canonical_interconnect, read_name
from rentmark.grades.names import NameReading


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("InfiniBand", "InfiniBand"),
        ("NDR InfiniBand 400G", "InfiniBand"),
        ("IB", "InfiniBand"),
        ("RoCEv2", "RoCE"),
        ("100G ethernet", "Ethernet"),
        ("nvlink", "NVLink"),
        ("NVSwitch", "NVLink"),
        # the network between nodes says more than the link inside one
        ("NVLink + InfiniBand", "InfiniBand"),
        ("NVLink, RoCE", "RoCE"),
        ("", None),
        (" - ", None),
    ],
)
def test_words_around_a_known_interconnect_are_read(text, name):
    assert canonical_interconnect(text) == name


@pytest.mark.parametrize("text", ["PCIe", "SXM", "3200 Gbps", "ibis", "fast"])
def test_a_text_that_names_none_is_refused_with_the_known_ones(text):
    with pytest.raises(ValueError, match="write InfiniBand, RoCE, Ethernet, NVLink or leave it blank"):
        canonical_interconnect(text)


@given(st.sampled_from(INTERCONNECTS), st.sampled_from(["", " ", "NDR ", "2x "]))
def test_a_canonical_name_is_read_as_itself(name, before):
    assert canonical_interconnect(before + name) == name
    assert canonical_interconnect(before + name.upper()) == name


@pytest.mark.parametrize("name", INTERCONNECTS)
def test_chip_names_and_columns_speak_of_interconnects_alike(name):
    reading = read_name(f"H100 SXM {name}")
    assert isinstance(reading, NameReading)
    assert reading.interconnect == name
