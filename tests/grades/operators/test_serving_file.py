"""Serving files are read with their traps known: re-based rows, seconds called milliseconds, counts that mean nothing."""

from __future__ import annotations

import csv
import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.grades.operators import read_serving_file, rebase
from rentmark.records import RentmarkError

HEADER = (
    "hardware,framework,model,precision,spec_method,disagg,isl,osl,conc,num_prefill_gpu,num_decode_gpu,date,"
    "tput_per_gpu,output_tput_per_gpu,input_tput_per_gpu,median_intvty,median_tpot,median_ttft"
)
PLAIN = "b200,engine,invented,fp4,none,False,8192,1024,4,64,64,2026-05-19,900,100,800,50,0.02,0.25"
SPLIT = "b200,engine,invented,fp4,none,True,8192,1024,4,4,12,2026-05-19,275,100,800,50,0.02,0.25"


def read(*lines: str, header: str = HEADER):
    return read_serving_file("\n".join([header, *lines]).encode(), "rows.csv")


def test_a_plain_row_is_taken_as_it_stands_and_its_gpu_counts_are_ignored():
    (row,) = read(PLAIN).rows
    assert str(row.stack) == "b200/engine/none/fp4"
    assert (row.total_tokens_per_second_per_gpu, row.output_tokens_per_second_per_gpu) == (900, 100)
    assert row.input_tokens_per_second_per_gpu == 800
    assert (row.median_interactivity, row.median_ttft_seconds) == (50, 0.25)
    assert (row.gpus, row.date, row.concurrency) == (None, date(2026, 5, 19), 4)
    assert read(PLAIN.replace("64,64", ",")).rows[0].output_tokens_per_second_per_gpu == 100


def test_a_disaggregated_row_is_restated_per_gpu_of_all_of_it():
    """100 per decode GPU over 12 of 16 is 75; 800 per prefill GPU over 4 of 16 is 200; together the row's 275."""
    (row,) = read(SPLIT).rows
    assert row.output_tokens_per_second_per_gpu == 75
    assert row.input_tokens_per_second_per_gpu == 200
    assert row.output_tokens_per_second_per_gpu + 200 == row.total_tokens_per_second_per_gpu
    assert row.gpus == 16


@pytest.mark.parametrize("counts", [(0, 4), (4, 0), (-1, 4)])
def test_no_part_of_a_deployment_is_no_part(counts):
    with pytest.raises(ValueError, match="is no part"):
        rebase(100.0, *counts)


def test_times_under_a_heading_in_milliseconds_are_seconds_where_the_row_shows_it():
    """Interactivity × time per token is 1 in seconds and 1,000 in milliseconds, whatever the heading says."""
    header = HEADER.replace("median_ttft", "Median TTFT (ms)").replace("median_tpot", "Median TPOT (ms)")
    seconds, milliseconds = PLAIN, PLAIN.replace("0.02,0.25", "20,250")
    file = read(seconds, milliseconds, PLAIN.replace("0.02,", ","), header=header)
    assert [row.median_ttft_seconds for row in file.rows] == [0.25, 0.25, None]
    assert file.notes[0] == "1 rows give their times in milliseconds; they were divided by 1,000."
    assert file.notes[1].startswith("1 rows do not show the unit of their times")
    assert len(file.notes) == 2


def test_an_interactivity_that_is_not_stated_follows_from_the_time_per_token():
    assert read(PLAIN.replace(",50,", ",,")).rows[0].median_interactivity == pytest.approx(50)


BAD_ROWS = {
    "output_tput_per_gpu is 0": PLAIN.replace(",100,800", ",0,800"),
    "output_tput_per_gpu is blank": PLAIN.replace(",100,800", ",,800"),
    "tput_per_gpu is '-900'": PLAIN.replace(",900,", ",-900,"),
    "tput_per_gpu is 1e-300, which no machine measures": PLAIN.replace(",900,", ",1e-300,"),
    "median_intvty is 1e+13, which no machine measures": PLAIN.replace(",50,0.02,", ",1e13,,"),
    "tput_per_gpu is 'nan'": PLAIN.replace(",900,", ",nan,"),
    "median_intvty is blank": PLAIN.replace(",50,0.02,", ",,,"),
    "date: '19 May' is not a date": PLAIN.replace("2026-05-19", "19 May"),
    "hw is blank": PLAIN.replace("b200", ""),
    "isl is 8192.5": PLAIN.replace("8192", "8192.5"),
    "isl is blank": PLAIN.replace("8192", ""),
    "disagg is 'maybe'": PLAIN.replace("False", "maybe"),
    "a disaggregated row needs": SPLIT.replace(",4,12,", ",,12,"),
    "num_prefill_gpu is 0": SPLIT.replace(",4,12,", ",0,12,"),
}


@pytest.mark.parametrize(("said", "line"), BAD_ROWS.items(), ids=BAD_ROWS)
def test_a_bad_row_is_refused_in_words_and_the_good_one_is_in(said, line):
    file = read(PLAIN, line)
    assert len(file.rows) == 1
    assert len(file.refused) == 1
    assert file.refused[0].startswith("rows.csv line 3: ")
    assert said in file.refused[0]
    assert file.refused[0].endswith(".")


def test_a_file_without_a_usable_row_is_one_sentence():
    with pytest.raises(RentmarkError) as refused:
        read(BAD_ROWS["output_tput_per_gpu is 0"])
    assert refused.value.sentence == (
        "rows.csv holds no serving row that can be used. The first: rows.csv line 2: output_tput_per_gpu is 0; "
        "a run that produced nothing is no point of a curve."
    )


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n", "lacks the columns hw, framework"),
        (b"\xff\xfe\x00", "is not UTF-8 text (byte 0)"),
        (b"[1]", "record 1 is no object"),
        (b'{"hw": ', "can't be read as JSON"),
        (b"[]", "holds no serving row"),
    ],
)
def test_what_is_no_serving_file_is_said(payload, said):
    with pytest.raises(RentmarkError) as refused:
        read_serving_file(payload, "rows.csv")
    assert said in refused.value.sentence


def test_json_in_its_three_shapes_and_with_nested_metrics_reads_like_the_table():
    wanted = read(PLAIN, SPLIT).rows
    cells = list(csv.DictReader([HEADER, PLAIN, SPLIT]))
    metrics = (
        "tput_per_gpu",
        "output_tput_per_gpu",
        "input_tput_per_gpu",
        "median_intvty",
        "median_tpot",
        "median_ttft",
    )
    flat = [{k: float(v) if k in metrics else v for k, v in row.items()} for row in cells]
    nested = [
        {k: v for k, v in row.items() if k not in metrics} | {"metrics": {k: row[k] for k in metrics}}
        for row in flat
    ]
    shapes = [
        json.dumps(flat),
        json.dumps(nested),
        json.dumps({"rows": nested}),
        "\n".join(json.dumps(row) for row in flat),
    ]
    for shape in shapes:
        rows = read_serving_file(shape.encode(), "rows.json").rows
        assert [(r.stack, r.output_tokens_per_second_per_gpu, r.gpus) for r in rows] == [
            (r.stack, r.output_tokens_per_second_per_gpu, r.gpus) for r in wanted
        ]


def test_the_notice_above_the_header_is_kept_for_its_attribution():
    payload = f"# Invented licence\n# Attribution asked\n{HEADER}\n{PLAIN}\n".encode()
    assert read_serving_file(payload, "rows.csv").comments == ("Invented licence", "Attribution asked")


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_any_bytes_are_rows_or_one_sentence(payload):
    for whole in (payload, HEADER.encode() + b"\n" + payload, b"[{" + payload):
        try:
            assert read_serving_file(whole, "rows.csv").rows
        except RentmarkError as refused:
            assert refused.sentence.endswith(".")  # noqa: PT017


@pytest.mark.parametrize(
    ("name", "rows", "refused"),
    [
        ("dsr1_8k1k_all_hw_sample.csv", 740, 2),
        ("official_h200_dsr1_1k1k_2026-06-02.csv", 5, 0),
        ("official_h200_gptoss_1k1k_2026-06-05.csv", 16, 0),
    ],
)
def test_the_shared_files_are_read(shared_data, name, rows, refused):
    file = read_serving_file((shared_data / "operators" / name).read_bytes(), name)
    assert (len(file.rows), len(file.refused), file.notes) == (rows, refused, ())
    assert file.comments
    # printed under (ms), and seconds: read as milliseconds the fastest first token would take 0.03 ms
    assert all(row.median_ttft_seconds is not None and row.median_ttft_seconds > 0.02 for row in file.rows)


def test_re_based_output_is_what_the_shared_sample_states_beside_it(shared_data):
    """The sample carries output per GPU of all of the deployment, worked out by whoever made it."""
    name = "dsr1_8k1k_all_hw_sample.csv"
    payload = (shared_data / "operators" / name).read_bytes()
    stated = {
        f"{name} line {number}": line["output_tput_per_total_gpu"]
        for number, line in enumerate(csv.DictReader(payload.decode().splitlines()[1:]), start=3)
    }
    rows = read_serving_file(payload, name).rows
    assert sum(row.disaggregated for row in rows) == 260
    for row in rows:
        # the column has four decimals
        assert row.output_tokens_per_second_per_gpu == pytest.approx(float(stated[row.where]), abs=0.000051)
