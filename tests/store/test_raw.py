"""The raw archive keeps bytes as received and finds any that changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.records import RentmarkError
from rentmark.store import RawArchive


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(payload=st.binary(max_size=4096))
def test_any_bytes_come_back_as_they_were_under_their_sha256(tmp_path: Path, payload: bytes):
    archive = RawArchive(tmp_path)
    digest = archive.put(payload)
    assert digest == hashlib.sha256(payload).hexdigest()
    assert archive.get(digest) == payload
    assert archive.path(digest) == tmp_path / digest[:2] / digest


def test_a_payload_that_is_there_is_left_as_it_is(tmp_path: Path):
    archive = RawArchive(tmp_path)
    path = archive.path(archive.put(b"a payload"))
    before = path.stat()
    archive.put(b"a payload")
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("place", [0, 4, 8])
def test_a_flipped_byte_is_found_and_named_with_both_digests(tmp_path: Path, place: int):
    archive = RawArchive(tmp_path)
    digest = archive.put(b"a payload")
    path = archive.path(digest)
    damaged = bytearray(path.read_bytes())
    damaged[place] ^= 0x01
    path.write_bytes(damaged)
    with pytest.raises(RentmarkError) as refused:
        archive.get(digest)
    assert str(path) in refused.value.sentence
    assert digest in refused.value.sentence
    assert hashlib.sha256(damaged).hexdigest() in refused.value.sentence


def test_a_missing_payload_is_named(tmp_path: Path):
    digest = hashlib.sha256(b"never received").hexdigest()
    with pytest.raises(RentmarkError, match=f"Payload {digest} is missing"):
        RawArchive(tmp_path).get(digest)


@pytest.mark.parametrize(
    "digest",
    [
        "",
        "../../etc/passwd",
        "/etc/passwd",
        "a" * 63,
        "A" * 64,
        "g" * 64,
        "a" * 64 + "\n",
        "..".ljust(64, "a"),
    ],
)
def test_what_is_no_digest_reaches_no_file(tmp_path: Path, digest: str):
    with pytest.raises(RentmarkError, match="is not a payload digest"):
        RawArchive(tmp_path).get(digest)
