"""How the sources of a benchmark want to be named, wherever its figures are shown."""

from __future__ import annotations

from typing import Any

from .core import Workspace
from .views import AsOf


def attributions_of(
    workspace: Workspace, benchmark_name: str, *, as_of: AsOf | None = None
) -> tuple[str, ...]:
    """A line for each source and licence the benchmark may draw on, by what the archive holds of its chip.

    With ``as_of`` that is what it held by then or, reconstructed, what it holds today and was public by then.
    A source that its grade leaves out, or whose rights forbid index use, is not among them. A feed's own text
    is used where the source is that feed's; else the source is named with its licence.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from ..ingest import FEEDS
    from ..store.file_facts import FileFacts
    from ..store.observations import read_columns

    grade = workspace.configuration.benchmark(benchmark_name).grade
    texts = {getattr(feed, "source", ""): feed.terms.attribution for feed in FEEDS.values()}
    store = workspace.store
    found: set[tuple[Any, Any]] = set()
    public_by = as_of.instant if as_of is not None and as_of.reconstructed else None
    recorded_by = as_of.instant if as_of is not None and public_by is None else None
    for file in store.observation_files(as_of=recorded_by):
        alike = {} if file.facts is None else FileFacts.from_text(file.facts).constants
        if {"source", "license"} <= alike.keys() and (alike["source"], alike["license"]) in found:
            continue  # it can say nothing else
        (path,) = store.file_paths([file])
        columns = ("chip", "source", "license", "rights")
        rows = read_columns(path, columns if public_by is None else (*columns, "known_at"))
        if public_by is not None:
            rows = rows.filter(pc.less_equal(rows["known_at"], pa.scalar(public_by, rows["known_at"].type)))
        used = rows.filter(
            pc.and_(pc.equal(rows["chip"], grade.chip), pc.not_equal(rows["rights"], "forbidden"))
        )
        for pair in used.group_by(["source", "license"]).aggregate([]).to_pylist():
            found.add((pair["source"], pair["license"]))
    return tuple(
        _line(source, license_text, texts.get(source))
        for source, license_text in sorted(found, key=lambda pair: (pair[0], pair[1] or ""))
        if grade.sources is None or source in grade.sources
    )


def _line(source: str, license_text: str | None, attribution: str | None) -> str:
    if attribution:
        return f"{source}: {attribution}"
    return f"{source} (licence: {license_text or 'not stated'})"
