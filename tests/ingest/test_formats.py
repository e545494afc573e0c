"""A payload is what its bytes are, and damage to it is said, never guessed around."""

from __future__ import annotations

import gzip
import io
import json
import random
import zlib
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet
from rentmark.ingest import TableMapping
from rentmark.ingest import unpack as unpacking
from rentmark.records import Batch

Parse = Callable[..., Batch]

HEADER = "observed_at,seller,gpu_model,price_per_gpu_hour\n"
ROWS = [f"2026-08-14T06:00:00Z,seller-{place},H100,{1 + place / 4}\n" for place in range(400)]
CSV = HEADER + "".join(ROWS)


def prices(batch: Batch) -> list[int]:
    return [int(price) for price in batch.observations["price_micros"].to_pylist()]


def parquet_bytes(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def test_the_same_offers_are_the_same_observations_in_every_format(parse: Parse) -> None:
    rows = [line.rstrip("\n").split(",") for line in ROWS[:20]]
    names = HEADER.strip().split(",")
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    typed = {
        **columns,
        "observed_at": pa.array([datetime(2026, 8, 14, 6, tzinfo=UTC)] * 20, pa.timestamp("ns", "UTC")),
        "price_per_gpu_hour": pa.array([float(text) for text in columns["price_per_gpu_hour"]]),
        "gpu_model": pa.array(columns["gpu_model"]).dictionary_encode(),
    }
    text = HEADER + "".join(ROWS[:20])
    payloads = {
        "csv": text.encode(),
        "csv with a byte order mark": b"\xef\xbb\xbf" + text.encode(),
        "csv with Windows line ends": text.replace("\n", "\r\n").encode(),
        "csv.gz": gzip.compress(text.encode()),
        "csv.gz in two members": gzip.compress(text.encode()[:300]) + gzip.compress(text.encode()[300:]),
        "json lines": "\n".join(json.dumps(row) for row in objects).encode(),
        "json lines with blank lines": "\n\n".join(json.dumps(row) for row in objects).encode(),
        "json array": json.dumps(objects).encode(),
        "parquet of texts": parquet_bytes(pa.table(columns)),
        "parquet of types": parquet_bytes(pa.table(typed)),
    }
    answers = {
        name: (tuple(batch.observations["observation_id"].to_pylist()), batch.rejected)
        for name, batch in ((name, parse("tabular", payload)) for name, payload in payloads.items())
    }
    assert {answer[1] for answer in answers.values()} == {0}
    assert len({answer[0] for answer in answers.values()}) == 1


def test_typed_parquet_values_are_read_as_they_would_be_written(parse: Parse) -> None:
    table = pa.table(
        {
            "observed_at": pa.array([date(2026, 8, 14), date(2026, 8, 15), None], pa.date32()),
            "seller": pa.array([b"amber", b"\xff", b"basalt"], pa.binary()),
            "gpu_model": ["H100", "H100", "H100"],
            "vram_gb": pa.array([80, 80, 80], pa.int16()),
            "price_per_gpu_hour": pa.array([Decimal("3.10"), Decimal("3.20"), Decimal("3.30")]),
            "carried_by_source": pa.array([True, False, None]),
        }
    )
    batch = parse("tabular", parquet_bytes(table), mapping=TableMapping(time_zone="UTC"))
    (row,) = batch.observations.to_pylist()
    assert row["observed_at"] == datetime(2026, 8, 14, tzinfo=UTC)
    assert (row["price_micros"], row["price_original"]) == (3_100_000, "3.10")
    assert row["carried_by_source"] is True
    assert batch.rejects["reason"].to_pylist() == ["malformed_record", "missing_time"]


def test_naive_parquet_times_need_a_zone_like_any_other(parse: Parse) -> None:
    table = pa.table(
        {
            "observed_at": pa.array([datetime(2026, 8, 14, 6)], pa.timestamp("us")),
            "seller": ["amber"],
            "gpu_model": ["H100"],
            "price_per_gpu_hour": [3.1],
        }
    )
    assert parse("tabular", parquet_bytes(table)).rejects["reason"].to_pylist() == ["naive_time"]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_of_a_truncated_gzip_the_rows_before_the_cut_are_in(parse: Parse, share: float) -> None:
    compressed = gzip.compress(CSV.encode())
    cut = compressed[: 12 + int((len(compressed) - 20) * share)]
    batch = parse("tabular", cut)
    assert batch.refusal is not None
    assert batch.refusal.code == "truncated_payload"
    whole = prices(parse("tabular", CSV))
    assert prices(batch) == whole[: batch.accepted]
    assert batch.rejects["reason"].to_pylist() in ([], ["truncated_row"])
    if share > 0.5:
        assert batch.accepted > 100


def test_a_row_cut_inside_its_last_value_is_not_taken_for_whole(parse: Parse) -> None:
    stream = zlib.compressobj(wbits=31)
    payload = stream.compress((HEADER + "2026-08-14T06:00:00Z,amber,H100,3.1").encode())
    payload += stream.flush(zlib.Z_SYNC_FLUSH)  # and the rest, "00", never came
    batch = parse("tabular", payload)
    assert batch.accepted == 0
    assert batch.rejects["reason"].to_pylist() == ["truncated_row"]
    assert batch.refusal is not None


def test_a_truncated_csv_keeps_its_good_rows(parse: Parse) -> None:
    batch = parse("tabular", CSV[: CSV.rindex("H100")])
    assert batch.accepted == 399
    assert batch.rejects["reason"].to_pylist() == ["truncated_row"]
    assert batch.rejects["position"].to_pylist() == [399]


def test_a_last_line_without_a_line_end_is_noted(parse: Parse) -> None:
    assert parse("tabular", CSV).notes == ()
    batch = parse("tabular", CSV.rstrip("\n"))
    assert batch.accepted == 400
    assert "no line end" in batch.notes[0]


def test_columns_that_are_not_read_are_noted(parse: Parse) -> None:
    header, row = HEADER.replace("\n", ",regoin\n"), ROWS[0].replace("\n", ",us-east\n")
    batch = parse("tabular", header + row)
    assert batch.accepted == 1
    assert batch.notes == ("columns that are not read: regoin",)


def test_damaged_gzip_is_refused_whole_because_its_rows_cannot_be_trusted(parse: Parse) -> None:
    compressed = bytearray(gzip.compress(CSV.encode()))
    compressed[-6] ^= 0xFF  # the checksum
    batch = parse("tabular", bytes(compressed))
    assert batch.refusal is not None
    assert (batch.refusal.code, batch.records) == ("damaged_payload", 0)


def test_a_gzip_bomb_is_refused(parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "RATIO_FREE_BYTES", 1 << 20)
    batch = parse("tabular", gzip.compress(HEADER.encode() + b"\n" * (4 << 20)))
    assert batch.refusal is not None
    assert batch.refusal.code == "too_large"
    monkeypatch.setattr(unpacking, "LARGEST_PAYLOAD_BYTES", 1 << 10)
    batch = parse("tabular", gzip.compress(CSV.encode()))
    assert batch.refusal is not None
    assert batch.refusal.code == "too_large"


def test_a_parquet_bomb_is_refused_before_it_is_read(parse: Parse) -> None:
    rows = 60_000_000
    count = pa.DictionaryArray.from_arrays(pa.array([0] * 1, pa.int8()), pa.array(["H100"]))
    chunk = pa.repeat(count[0], rows // 60)
    table = pa.table({"gpu_model": pa.chunked_array([chunk] * 60)})
    payload = parquet_bytes(table)
    assert len(payload) < 1 << 20
    batch = parse("tabular", payload)
    assert batch.refusal is not None
    assert batch.refusal.code == "too_large"


@pytest.mark.parametrize(
    ("payload", "code", "words"),
    [
        (b"", "empty_payload", "no records"),
        (b" \n\n", "empty_payload", "no records"),
        (HEADER.encode(), "empty_payload", "no records"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not_this_format", "binary"),
        (b"PK\x03\x04" + b"x" * 50, "not_this_format", "ZIP"),
        (CSV.encode("utf-16"), "not_this_format", "UTF-16"),
        (b"PAR1" + b"x" * 50 + b"PAR1", "not_this_format", "Parquet"),
        (
            b'{"date": "2026-08-18",\n "offers": [\n{"a": 1,\n"b": 2}]}',
            "not_this_format",
            "one object per line",
        ),
        (b"[1, 2", "truncated_payload", "early"),
        (b"[1, }]", "not_this_format", "JSON"),
        (b"observed_at,seller,gpu_model\n1,2,3\n", "missing_column", "observed_at, seller, gpu_model"),
        (b"observed_at;seller;gpu_model\n1;2;3\n", "missing_column", "delimiter"),
        (b"observed_at,seller,seller,gpu_model,price_per_gpu_hour\n", "not_this_format", "twice"),
        (b"\xff\xff\n1,2\n", "not_this_format", "header"),
    ],
)
def test_a_payload_of_another_kind_is_refused_in_one_sentence(
    parse: Parse, payload: bytes, code: str, words: str
) -> None:
    batch = parse("tabular", payload)
    assert batch.refusal is not None
    assert batch.refusal.code == code
    assert words in batch.refusal.sentence
    assert batch.refusal.sentence.startswith("payload ")
    assert batch.records == 0


def test_mutated_parquet_never_raises(parse: Parse) -> None:
    names = HEADER.strip().split(",")
    rows = [line.rstrip("\n").split(",") for line in ROWS]
    original = parquet_bytes(
        pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
    )
    generator = random.Random(20260814)
    for _ in range(200):
        mutated = bytearray(original)
        for _ in range(generator.randint(1, 4)):
            mutated[generator.randrange(len(mutated))] = generator.randrange(256)
        batch = parse("tabular", bytes(mutated))
        assert batch.records in {0, 400}
        assert batch.refusal is not None or batch.records == 400


def test_nested_and_doubled_parquet_columns_are_refused(parse: Parse) -> None:
    nested = pa.table({"gpu_model": [["H100"]], "seller": ["amber"]})
    doubled = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["seller", "seller"])
    for table, words in ((nested, "nested"), (doubled, "twice")):
        refusal = parse("tabular", parquet_bytes(table)).refusal
        assert refusal is not None
        assert words in refusal.sentence


def test_rows_that_are_not_utf8_are_refused_and_their_neighbours_kept(parse: Parse) -> None:
    payload = (HEADER + "".join(ROWS[:3])).encode()
    payload = payload.replace(b"seller-1", b"sell\xe9r-1") + b"\xff,\xfe\n"
    batch = parse("tabular", payload)
    assert batch.observations["seller"].to_pylist() == ["seller-0", "seller-2"]
    assert batch.rejects["reason"].to_pylist() == ["malformed_record", "truncated_row"]
    assert batch.rejects["position"].to_pylist() == [1, 3]


def test_a_field_of_ten_megabytes_refuses_its_row_only(parse: Parse) -> None:
    payload = HEADER + ROWS[0] + f"2026-08-14T06:00:00Z,{'x' * 10_000_000},H100,2\n" + ROWS[1]
    batch = parse("tabular", payload)
    assert batch.accepted == 2
    assert batch.rejects["reason"].to_pylist() == ["malformed_record"]
    assert len(batch.rejects["value"][0].as_py()) <= 200


def test_ragged_rows_keep_their_places(parse: Parse) -> None:
    payload = HEADER + ROWS[0] + "\n" + "short\n" + ROWS[1] + ROWS[2].strip() + ",and,more\n" + "\n" + ROWS[3]
    batch = parse("tabular", payload)
    assert batch.observations["position"].to_pylist() == [0, 2, 4]
    assert batch.rejects["position"].to_pylist() == [1, 3]
    assert batch.rejects["reason"].to_pylist() == ["truncated_row", "malformed_record"]


def test_a_damaged_row_repeated_is_a_duplicate(parse: Parse) -> None:
    batch = parse("tabular", HEADER + "short\nshort\nshorter\n" + ROWS[0])
    assert (batch.records, batch.accepted, batch.rejected, batch.duplicates) == (4, 1, 2, 1)
