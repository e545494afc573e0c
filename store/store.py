"""The store of one workspace: everything other rooms ask of disk and database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..records import Batch, Fixing, LedgerEntry, parse_instant
from . import candidates as _candidates
from . import certificates as _certificates
from . import ledger as _ledger
from . import methodologies as _methodologies
from . import tape as _tape
from .certificates import Certificate
from .check import check_files, set_aside_strays
from .commit import Arrival, Committer, check_batch
from .database import Database
from .files import remove_abandoned
from .grown import Grown
from .identity import RAW, check_workspace, create_workspace, no_workspace, read_meta
from .instant import Clock, last_stamp
from .manifest import Manifest
from .observations import ARCHIVE, ArchiveFiles, ObservationFile, read_columns, read_identities
from .problems import ChainProblem, FileProblem
from .raw import RawArchive
from .tape import MakeFixings, Revisions

if TYPE_CHECKING:
    import pyarrow as pa
    import sqlalchemy as sa

DATABASE_FILE = "rentmark.db"


class Store:
    """Archive, ledger, candidates and tape of one workspace.

    Every method is one transaction. Reading never waits for a writer; one writer works at a time,
    others wait up to a minute. Methods raise RentmarkError, in one sentence, when the disk or the
    database refuses.
    """

    def __init__(self, root: Path, database: Database, clock: Clock, *, simulated: bool) -> None:
        self.root = root
        self.database = database
        self.simulated = simulated
        self.clock = clock
        self._raw = RawArchive(root / RAW)
        self._manifest = Manifest()
        self._rules = _methodologies.KeptRules()
        self._files = ArchiveFiles(root)
        self._tapes: dict[str, Grown[Fixing]] = {}
        self.places: dict[str, Grown[Any]] = {}

    @classmethod
    def create(cls, root: Path, *, database_url: str | None, simulated: bool, clock: Clock) -> Store:
        """Make a workspace's folders, tables and identity in ``root``.

        ``database_url`` None means SQLite in ``root/rentmark.db``. Raises RentmarkError when there is
        a workspace already.
        """
        database = _database(root, database_url)
        try:
            create_workspace(database, root, clock, simulated=simulated)
        except BaseException:
            database.close()
            raise
        return cls(root, database, clock, simulated=simulated)

    @classmethod
    def open(cls, root: Path, *, database_url: str | None, clock: Clock) -> Store:
        """Open a workspace: brings older tables forward and clears away what stopped commands left.

        Raises RentmarkError when ``root`` holds none, its database is another's, or the tables were
        written by a newer Rentmark.
        """
        if database_url is None and not (root / DATABASE_FILE).is_file():
            raise no_workspace(root)
        database = _database(root, database_url)
        try:
            facts = check_workspace(database, root)
            store = cls(root, database, clock, simulated=facts["simulated"] == "true")
            store.clean()
        except BaseException:
            database.close()
            raise
        return store

    def close(self) -> None:
        """Close the database connections."""
        self.database.close()

    def __enter__(self) -> Self:
        """Use as ``with Store.open(…) as store:``."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the database connections."""
        self.close()

    def clean(self) -> list[str]:
        """Remove abandoned temporary files and set observation files aside that no ledger row names.

        Returns the paths set aside. Safe while other commands write.
        """
        self._raw.clean_temporary()
        remove_abandoned(self.root / ARCHIVE)
        return set_aside_strays(self.database, self.root)

    def now(self) -> datetime:
        """The present of the workspace: everything committed so far has a stamp at or before it.

        It is the clock's time, or the last stamp where stamps have run ahead of a clock that stands
        still. As-of reads of "now" use this, and a simulated clock starts from it.
        """
        return max(self.clock.now(), self.latest_instant())

    def now_in(self, connection: sa.Connection) -> datetime:
        """The same inside a transaction that a module of this room holds."""
        return max(self.clock.now(), self._latest(connection))

    def latest_instant(self) -> datetime:
        """The last stamp on anything committed, or when the workspace was created."""
        with self.database.reading() as connection:
            return self._latest(connection)

    @staticmethod
    def _latest(connection: sa.Connection) -> datetime:
        stamp = last_stamp(connection)
        return stamp or parse_instant(read_meta(connection)["created_at"])

    # Payloads and batches

    def put_payload(self, payload: bytes, digest: str | None = None) -> str:
        """Keep the bytes as received, before anything reads them; returns their SHA-256.

        ``digest`` is that SHA-256 where the caller has just computed it.
        """
        return self._raw.put(payload, digest)

    def get_payload(self, digest: str) -> bytes:
        """Return a payload, checked against its digest. Raises RentmarkError when missing or altered."""
        return self._raw.get(digest)

    def find_batch(
        self, payload_digest: str, feed: str, feed_version: str, mapping_hash: str
    ) -> LedgerEntry | None:
        """The batch of an idempotency key, or None where these bytes were not read this way yet."""
        with self.database.reading() as connection:
            return _ledger.find_batch(connection, payload_digest, feed, feed_version, mapping_hash)

    def commit_batch(
        self,
        batch: Batch,
        *,
        feed: str,
        feed_version: str,
        mapping_hash: str,
        payload_digest: str,
        origin_name: str,
        payload_bytes: int,
        received_at: datetime,
        rights: str,
        simulated: bool,
        fetched_from: str | None = None,
    ) -> LedgerEntry:
        """Archive a parsed payload, whole or not at all, and return its ledger entry.

        Rows that the archive holds already are counted as duplicates and left out. The same key again
        changes nothing and returns the first entry. The same payload read by another version or mapping
        supersedes the earlier reading, which stays visible to an earlier as-of. Raises RentmarkError in
        a simulated workspace for data that are not simulated, and ValueError when the feed broke a
        promise (see ``commit.check_batch``).
        """
        arrival = Arrival(
            feed=feed,
            feed_version=feed_version,
            mapping_hash=mapping_hash,
            payload_digest=payload_digest,
            origin_name=origin_name,
            payload_bytes=payload_bytes,
            received_at=received_at,
            rights=rights,
            simulated=simulated,
            fetched_from=fetched_from,
        )
        check_batch(batch, arrival, simulated_store=self.simulated)
        committer = Committer(
            database=self.database,
            root=self.root,
            clock=self.clock,
            manifest=self._manifest,
            files=self._files,
        )
        return committer.commit(batch, arrival)

    def ledger(self, as_of: datetime | None = None) -> list[LedgerEntry]:
        """All batches in commit order, those recorded by ``as_of`` if given."""
        with self.database.reading() as connection:
            return _ledger.ledger(connection, as_of)

    def last_batches(self, feed: str, limit: int) -> list[LedgerEntry]:
        """The newest batches of a feed that held any record, newest first."""
        with self.database.reading() as connection:
            return _ledger.last_batches(connection, feed, limit)

    def rejects(
        self, batch_id: int | None = None, reason: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        """Rejected records. Keys: ``batch_id, origin_name, payload_digest, position, reason, field,
        value, sentence``.
        """
        with self.database.reading() as connection:
            return _ledger.rejects(connection, batch_id=batch_id, reason=reason, limit=limit)

    def reject_counts(self, batch_id: int | None = None) -> dict[str, int]:
        """How many records were rejected for each reason."""
        with self.database.reading() as connection:
            return _ledger.reject_counts(connection, batch_id)

    def archived_duplicates(self, batch_id: int) -> int:
        """How many of a batch's duplicates repeat what the archive held when it came.

        The others repeat their own payload: reading it again gives ``accepted`` plus this many.
        """
        with self.database.reading() as connection:
            return _ledger.archived_duplicates(connection, batch_id)

    # Observation files

    def observation_files(
        self, as_of: datetime | None = None, months: Sequence[str] | None = None
    ) -> list[ObservationFile]:
        """The files that count at ``as_of`` (None: now), by month and then batch.

        Exactly those that committed ledger rows recorded by then name and no reading recorded by then
        supersedes. ``months`` such as ``["2026-08"]`` keeps those months of ``observed_at``.
        """
        with self.database.reading() as connection:
            return self._manifest.files(connection, as_of=as_of, months=months)

    def file_paths(self, files: Iterable[ObservationFile]) -> list[Path]:
        """Where files lie on this disk, for an engine, each held against its digest at first use.

        Raises RentmarkError naming a file that is missing or whose bytes have changed.
        """
        return [self._files.path(file) for file in files]

    def observed_months(self, as_of: datetime | None = None) -> list[str]:
        """Months of ``observed_at`` that hold observations, in order."""
        return sorted({file.month for file in self.observation_files(as_of)})

    def observed_range(self, as_of: datetime | None = None) -> tuple[datetime, datetime] | None:
        """First and last ``observed_at`` of the archive, or None where it holds nothing."""
        files = self.observation_files(as_of)
        if not files:
            return None
        return min(f.first_observed_at for f in files), max(f.last_observed_at for f in files)

    def batch_identities(self, batch_id: int) -> set[tuple[int, int]]:
        """(observation_id, content_check) of every observation a batch brought, superseded or not."""
        with self.database.reading() as connection:
            paths = self.file_paths(self._manifest.files_of(connection, batch_id))
        return read_identities(paths)

    def last_month_of_batch(self, batch_id: int, columns: Sequence[str]) -> pa.Table | None:
        """Some columns of the newest month that a batch brought, superseded or not; None where it brought none."""
        with self.database.reading() as connection:
            files = self._manifest.files_of(connection, batch_id)
        return read_columns(self._files.path(files[-1]), columns) if files else None

    def check_files(self) -> list[FileProblem]:
        """Every payload and observation file that is missing or altered, located by path and batch."""
        with self.database.reading() as connection:
            return check_files(connection, self.root, self._raw)

    # Methodologies and candidates

    def save_methodology(self, methodology_hash: str, resolved: Mapping[str, Any]) -> None:
        """Keep a resolved methodology under its hash; the same again changes nothing."""
        self._rules.save(self.database, self.clock, methodology_hash, resolved)

    def methodology(self, methodology_hash: str) -> dict[str, Any]:
        """The resolved methodology of a hash. Raises RentmarkError when none is kept."""
        with self.database.reading() as connection:
            return _methodologies.methodology(connection, methodology_hash)

    def replace_candidates(
        self, benchmark: str, view: str, fixings: Iterable[Fixing], built_at: datetime
    ) -> None:
        """Put these in place of all candidates of a benchmark and view."""
        with self.database.writing(durable=False) as connection:
            _candidates.replace_candidates(connection, benchmark, view, fixings, built_at)

    def candidates(self, benchmark: str, view: str, first: date | None = None) -> list[Fixing]:
        """The candidates of a benchmark and view by date, from ``first`` on if given."""
        with self.database.reading() as connection:
            return _candidates.candidates(connection, benchmark, view, first)

    def views(self, benchmark: str) -> dict[str, datetime]:
        """The views of a benchmark that hold candidates, each with when it was built."""
        with self.database.reading() as connection:
            return _candidates.views(connection, benchmark)

    # Tape and certificates

    def append_fixings(self, make: MakeFixings, benchmark: str) -> list[Fixing]:
        """Publish what ``make`` returns, under the write lock; returns the rows as sealed on the tape.

        ``make`` is given the benchmark's tape as it stands (all revisions, in append order) and the
        instant of publication, so that two publishers at once publish once. It must not write to this
        store. Raises ValueError for a fixing that does not follow on the tape.
        """
        with self.database.writing() as connection:
            standing = self._tape(benchmark).rows(connection)
            return _tape.append_fixings(connection, self.clock, benchmark, standing, make)

    def tape(
        self, benchmark: str, as_of: datetime | None = None, revisions: Revisions = "latest"
    ) -> list[Fixing]:
        """Published fixings by date and revision, those published by ``as_of`` if given."""
        rows = self.tape_sequence(benchmark)
        return _tape.select_revisions(rows, as_of=as_of, revisions=revisions)

    def tape_sequence(self, benchmark: str) -> list[Fixing]:
        """All rows of a benchmark in the order they were appended, which is the order of the chain."""
        with self.database.reading() as connection:
            return self._tape(benchmark).rows(connection)

    def tape_rows(self, connection: sa.Connection, benchmark: str) -> list[Fixing]:
        """The same inside a transaction that a module of this room holds."""
        return list(self._tape(benchmark).rows(connection))

    def _tape(self, benchmark: str) -> Grown[Fixing]:
        return self._tapes.setdefault(
            benchmark, Grown(lambda connection, above: _tape.rows_above(connection, benchmark, above))
        )

    def check_chain(self, benchmark: str) -> list[ChainProblem]:
        """Every row of a benchmark's tape whose seal or link does not hold."""
        with self.database.reading() as connection:
            return _tape.check_chain(connection, benchmark)

    def benchmarks(self) -> list[str]:
        """Names that stand on the tape or among the candidates."""
        with self.database.reading() as connection:
            return _tape.benchmarks(connection)

    def certify(
        self,
        *,
        contract: str,
        month: str,
        benchmark: str,
        price_micros: int,
        who: str,
        reason: str,
        input_digest: str | None = None,
    ) -> Certificate:
        """Keep that a person certified a final settlement price, micro-USD per GPU-hour, and why."""
        with self.database.writing() as connection:
            return _certificates.append_certificate(
                connection,
                self.clock,
                contract=contract,
                month=month,
                benchmark=benchmark,
                price_micros=price_micros,
                who=who,
                reason=reason,
                input_digest=input_digest,
                simulated=self.simulated,
            )

    def certificates(
        self,
        contract: str | None = None,
        month: str | None = None,
        benchmark: str | None = None,
        as_of: datetime | None = None,
    ) -> list[Certificate]:
        """Certificates in the order given, by whichever of the arguments is not None."""
        with self.database.reading() as connection:
            return _certificates.certificates(connection, contract, month, benchmark, as_of)

    def check_certificates(self) -> list[ChainProblem]:
        """Every certificate whose seal or link does not hold."""
        with self.database.reading() as connection:
            return _certificates.check_certificates(connection)


def _database(root: Path, database_url: str | None) -> Database:
    return Database.at_path(root / DATABASE_FILE) if database_url is None else Database(database_url)
