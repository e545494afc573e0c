"""The benchmark statement: generated from the resolved rules and the tape, in words, as Markdown or HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..index import Benchmark
from ..index.rule_words import (
    cessation_words,
    error_words,
    good_words,
    input_words,
    judgement_words,
    refusal_words,
    rules_table,
    time_words,
    value_words,
)
from ..records import Fixing, RentmarkError, UsageError, format_instant
from .attributions import attributions_of
from .core import Workspace
from .governing import cessation_sentence, governance_log, open_holds
from .rulebook import cessation, span_on, spans, version_rows
from .views import AsOf, format_view


def benchmark_statement(workspace: Workspace, name: str, *, as_of: AsOf | None = None) -> dict[str, Any]:
    """The documented JSON of `index statement`: sections of sentences and tables, as of now or of a view.

    A view knows the versions announced, the rows published, the decisions and ratings recorded and the sources held
    by then, and nothing later: it comes out the same whatever follows. Raises RentmarkError for an unknown benchmark.
    """
    now = workspace.store.now() if as_of is None else as_of.instant
    rules = spans(workspace, name, as_of=as_of)
    benchmark = span_on(rules, now.date()).benchmark
    methodology = benchmark.methodology
    tape = workspace.store.tape(name, as_of=None if as_of is None else now)
    log = governance_log(workspace, name, as_of=as_of)
    end = cessation(workspace, name, as_of)
    known = {span.version.version: span.benchmark.methodology_hash for span in rules}
    versions = [row for row in version_rows(workspace, name) if row["version"] in known]
    overrides = [row for row in log if row["kind"] == "override"]
    not_made = sum(row["kind"] == "correction" for row in log)
    restated = sum(row["kind"] == "restatement" for row in log)
    held = open_holds(workspace, name, as_of=as_of)
    sections = [
        _section("What it measures", good_words(benchmark.grade)),
        _section("From what", input_words(methodology)),
        _section("How a value is made", value_words(methodology)),
        _section("When there is none", refusal_words(methodology)),
        _section("Dates and times", time_words(methodology)),
        _section(
            "Judgement",
            [
                *judgement_words(methodology),
                f"Set by judgement so far: {len(overrides):,}. Held now: {len(held):,}.",
            ],
        ),
        _section(
            "Errors and revisions",
            [
                *error_words(methodology),
                f"Restatements so far: {restated:,}. Corrections recorded and not made: {not_made:,}.",
            ],
        ),
        _section(
            "Versions",
            [
                (
                    f"In force on {now.date()}: {benchmark.methodology_name} {methodology.version}. "
                    "A version applies from its date on and never to an earlier one."
                )
            ],
            ["version", "effective from", "what changed", "rules"],
            [
                [
                    row["version"],
                    row["effective_from"] or "first date",
                    "; ".join([row["changes"], *row["rules_changed"]]),
                    known[row["version"]][:12],  # under the ratings of then
                ]
                for row in versions
            ],
        ),
        _section(
            "End of the benchmark",
            [
                *cessation_words(methodology),
                "No end is announced." if end is None else cessation_sentence(end),
            ],
        ),
        _section("Sources and rights", _rights(workspace, benchmark, tape, as_of)),
        _section("Settlement grade and limits", _limits(benchmark, tape)),
        _section(
            "Every rule, as it is hashed",
            [
                (
                    "A key that is not listed is at its default. "
                    f"SHA-256 over all of it, the chip catalogue included: {benchmark.methodology_hash}."
                )
            ],
            ["key", "value"],
            rules_table(benchmark),
        ),
        _section("The tape", _tape(name, tape)),
    ]
    return {
        "benchmark": name,
        "generated_at": format_instant(now),
        "as_of": None if as_of is None else format_instant(now),
        "reconstructed": as_of is not None and as_of.reconstructed,
        "view": None if as_of is None else format_view(as_of),
        "grade": benchmark.grade_name,
        "methodology": benchmark.methodology_name,
        "methodology_version": methodology.version,
        "methodology_hash": benchmark.methodology_hash,
        "research": benchmark.research,
        "simulated": workspace.store.simulated,
        "sections": sections,
    }


def _section(
    title: str,
    sentences: Sequence[str],
    columns: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
) -> dict[str, Any]:
    return {
        "title": title,
        "sentences": list(sentences),
        "columns": list(columns),
        "rows": [list(row) for row in rows],
    }


def _rights(
    workspace: Workspace, benchmark: Benchmark, tape: Sequence[Fixing], as_of: AsOf | None
) -> list[str]:
    said = [
        "A source whose rights forbid index use never enters; with unknown rights a value is built and not published."
    ]
    if benchmark.research:
        said.append("This is a research benchmark: it is never published, and no contract settles on it.")
    elif any(row.rights == "unknown" for row in tape):
        said.append("Some published rows rest on unknown rights.")
    lines = attributions_of(workspace, benchmark.name, as_of=as_of)
    return said + (list(lines) or ["The archive holds no source of it yet."])


def _limits(benchmark: Benchmark, tape: Sequence[Fixing]) -> list[str]:
    valued = [row for row in tape if row.value_micros is not None]
    graded = sum(row.settlement_grade for row in valued)
    said = []
    if benchmark.methodology.inputs == ("listed",):
        said.append(
            "Advertised prices are not of settlement grade: a contract settles on it as a proxy only, and says so."
        )
    elif valued:
        said.append(f"{graded} of {_count(len(valued), 'published value')} are of settlement grade.")
    said.append(
        "It says what was asked or paid for a GPU-hour, not what an hour delivers, and nothing about hours that failed."
    )
    said.append("A seller is a name: one firm under two names votes twice.")
    if any(row.origin == "backcast" for row in tape):
        late = sum(row.origin == "backcast" for row in tape)
        said.append(f"{_count(late, 'row')} of {len(tape)} are backcast: published after their time.")
    if any(row.simulated for row in tape):
        said.append("SIMULATED: it rests on a simulated market.")
    return said


def _tape(name: str, tape: Sequence[Fixing]) -> list[str]:
    if not tape:
        return [f"Nothing of {name} is published."]
    counts = Counter(row.status for row in tape)
    states = ", ".join(f"{counts[s]} {s}" for s in ("OK", "THIN", "CARRIED", "GAP") if counts[s])
    last = max(tape, key=lambda row: (row.published_at, row.date))
    return [
        f"{_count(len(tape), 'date')} from {tape[0].date} to {tape[-1].date}: {states}.",
        f"Last published {format_instant(last.published_at) if last.published_at else ''}, row digest {last.row_digest}.",
    ]


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def statement_document(made: Mapping[str, Any], kind: str) -> str:
    """A statement as a text: ``md`` or ``html``, one file that needs no other."""
    return _html(made) if kind == "html" else _markdown(made)


def write_statement(made: Mapping[str, Any], path: Path) -> None:
    """Write a statement beside what its name ends in. Raises UsageError for another ending, RentmarkError."""
    kind = {".html": "html", ".md": "md"}.get(path.suffix.lower())
    if kind is None:
        raise UsageError(f"--output {path} ends in neither .html nor .md; name one of them.")
    try:
        path.write_text(statement_document(made, kind), encoding="utf-8")
    except OSError as error:
        raise RentmarkError(f"{path} can't be written: {error.strerror}; choose another place.") from None


def _marks(made: Mapping[str, Any]) -> list[str]:
    on = [word for word, on in (("SIMULATED", made["simulated"]), ("RESEARCH", made["research"])) if on]
    return [*on, made["view"]] if made["view"] is not None else on


def _subtitle(made: Mapping[str, Any]) -> str:
    when = "generated" if made["as_of"] is None else "as of"
    return (
        f"{made['grade']} by {made['methodology']} {made['methodology_version']}, "
        f"rules {made['methodology_hash'][:12]}, {when} {made['generated_at']}"
    )


def _markdown(made: Mapping[str, Any]) -> str:
    lines = [f"# Benchmark statement: {made['benchmark']}", "", _subtitle(made), ""]
    lines += [f"**{mark}**\n" for mark in _marks(made)]
    for section in made["sections"]:
        lines += [f"## {section['title']}", ""]
        lines += [f"- {sentence}" for sentence in section["sentences"]]
        if section["rows"]:
            lines += ["", _cells(section["columns"]), _cells(["---"] * len(section["columns"]))]
            lines += [_cells(row) for row in section["rows"]]
        lines.append("")
    return "\n".join(lines)


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


_STYLE = """
:root{--bg:#fff;--panel:#f5f6f8;--text:#15181d;--muted:#5a6472;--rule:#d9dde3;--sim:#7a2e9e;--sim-tint:#f6ecfb}
@media (prefers-color-scheme:dark){:root{--bg:#0f1318;--panel:#171c23;--text:#e8ebf0;--muted:#9aa5b3;--rule:#313946;
--sim:#d29bf0;--sim-tint:#2c1b38}}
html{color-scheme:light dark}
body{margin:0;background:var(--bg);color:var(--text);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Arial,
sans-serif;font-variant-numeric:tabular-nums}
main{max-width:860px;margin:0 auto;padding:24px 32px 48px}
h1{font-size:20px;font-weight:600;margin:0}h2{font-size:14px;font-weight:600;margin:24px 0 4px}
p.sub{color:var(--muted);margin:0 0 8px;font-size:13px}
p.strip{background:var(--sim-tint);border-left:4px solid var(--sim);color:var(--sim);padding:5px 12px;border-radius:4px;
font-weight:600}
ul{margin:4px 0 0;padding-left:18px}li{margin:2px 0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:13px;margin:8px 0 0}
th{font-weight:400;color:var(--muted);text-align:left;white-space:nowrap;padding:4px 8px 4px 0;border-bottom:1px solid var(--rule)}
td{padding:4px 8px 4px 0;border-bottom:1px solid var(--panel);vertical-align:top;overflow-wrap:break-word}
@page{size:A4;margin:14mm}
"""


def _html(made: Mapping[str, Any]) -> str:
    title = f"Benchmark statement: {escape(made['benchmark'])}"
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body><main>",
        f'<h1>{title}</h1><p class="sub">{escape(_subtitle(made))}</p>',
    ]
    parts += [f'<p class="strip">{mark}</p>' for mark in _marks(made)]
    for section in made["sections"]:
        parts.append(f"<section><h2>{escape(section['title'])}</h2><ul>")
        parts += [f"<li>{escape(sentence)}</li>" for sentence in section["sentences"]]
        parts.append("</ul>")
        if section["rows"]:
            head = "".join(f"<th>{escape(cell)}</th>" for cell in section["columns"])
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>")
            for row in section["rows"]:
                parts.append(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>")
            parts.append("</tbody></table>")
        parts.append("</section>")
    return "\n".join([*parts, "</main></body></html>", ""])
