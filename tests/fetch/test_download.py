"""A file over a bad line: what is kept, what is asked for again, and what a person is told."""

import gzip
import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from genotex.errors import DiskFullError, FetchError
from genotex.fetch import ClientLimits, Content, Wanted, WebClient, open_fetch_folder
from genotex.fetch import download as room

from .conftest import QUICK
from .server import (
    Fault,
    Reply,
    Site,
    bomb,
    captcha,
    cut_after,
    cut_at,
    dripping,
    failing,
    flipped,
    redirect,
    shortened,
    without_ranges,
)

PATH = "/geo/GSE1_series_matrix.txt.gz"
PLACE = "GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz"
FILE = gzip.compress(os.urandom(150_000).hex().encode(), mtime=0)
NEWER = gzip.compress(os.urandom(200_000).hex().encode(), mtime=0)
BOMB = bomb(1100)


def wanted(site: Site, **facts: object) -> Wanted:
    return Wanted(site.url(PATH), PLACE, **facts)  # type: ignore[arg-type]


def fetch(root: Path, client: WebClient, wanted: Wanted) -> bytes:
    with open_fetch_folder(root) as folder:
        return folder.fetch(client, wanted).path.read_bytes()


def refusal(root: Path, client: WebClient, wanted: Wanted) -> str:
    """Fetch in vain; the file is not there, and the journal says why."""
    with open_fetch_folder(root) as folder, pytest.raises(FetchError) as error:
        folder.fetch(client, wanted)
    assert not (root / wanted.path).exists()
    with open_fetch_folder(root) as folder:
        failed = folder.last(wanted.path, "failed")
        assert failed is not None and failed["reason"] == str(error.value)
    return str(error.value)


def left(root: Path) -> list[str]:
    return sorted(p.name for p in (root / PLACE).parent.iterdir())


DOCS = Path(__file__).parents[2] / "docs" / "fetch.md"


def rows_under(heading: str) -> dict[str, str]:
    """What docs/fetch.md tells: what is served -> what is said or done, without code marks."""
    section = DOCS.read_text().partition(f"### {heading}\n")[2].partition("\n#")[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return {row[0].strip(): row[-1].strip().strip("`") for row in rows[2:]}


# Served, as docs/fetch.md has it -> the faults, and how often the server was asked in the end.
SURVIVED: dict[str, tuple[list[Fault], int]] = {
    "429": ([failing(429)], 2),
    "429 with `Retry-After: 2`": ([failing(429, Retry_After="2")], 2),
    "503 three times": ([failing(503)] * 3, 4),
    "connection cut in the middle": ([cut_at(0.5)], 2),
    "connection cut before the first byte": ([cut_at(0.0)], 2),
    "connection cut four times": ([cut_at(0.4)] * 4, 5),
    "half the file, with the length of that half": ([shortened(0.5)], 2),
    "one damaged byte": ([flipped(9000)], 2),
    "ten bytes a second": ([dripping(0.1)], 2),
}


@pytest.mark.parametrize("served", SURVIVED)
def test_a_fault_that_passes_is_survived(
    site: Site, client: WebClient, tmp_path: Path, served: str
) -> None:
    site.put(PATH, FILE)
    faults, asked = SURVIVED[served]
    site.fault(PATH, *faults)
    assert fetch(tmp_path, client, wanted(site)) == FILE
    assert site.times(PATH) == asked
    assert left(tmp_path) == ["GSE1_series_matrix.txt.gz"]
    assert f"asked {asked} times" in rows_under("Faults that pass")[served]


# Served, as docs/fetch.md has it with what is said.
REFUSED: dict[str, Fault] = {
    "429 every time": failing(429),
    "`Retry-After` of an hour": failing(429, Retry_After="3600"),
    "404": failing(404),
    "403, as an expired link gives": failing(403),
    "captcha page with status 200": captcha(),
    "captcha page with status 403": captcha(403),
    "error page with status 200": lambda reply: Reply(b"<html><title>Error  500</title>"),
    "JSON error with status 200": lambda reply: Reply(b'{"error":"API rate limit exceeded"}'),
    "no bytes with status 200": lambda reply: Reply(b""),
    "half the file every time": shortened(0.5),
    "gzip bomb": lambda reply: Reply(BOMB),
    "redirect to itself": redirect(PATH),
    "redirect to another scheme": redirect("https://example.org/a"),
    "redirect to a file": redirect("file:///etc/passwd"),
    "redirect to a private address": redirect("http://169.254.169.254/latest"),
    "redirect to another port of this machine": redirect("http://127.0.0.1:9/a"),
}


@pytest.mark.parametrize("served", REFUSED)
def test_a_fault_that_stays_keeps_nothing_and_says_why(
    site: Site, client: WebClient, tmp_path: Path, served: str
) -> None:
    site.put(PATH, FILE)
    site.always(PATH, REFUSED[served])
    said = refusal(tmp_path, client, wanted(site))
    assert said == f"{site.url(PATH)}: {rows_under('Faults that stay')[served]}"
    assert left(tmp_path) == []
    site.mend(PATH)
    assert fetch(tmp_path, client, wanted(site)) == FILE


def test_the_page_on_fetching_tells_every_fault_that_is_tested() -> None:
    assert set(rows_under("Faults that pass")) == set(SURVIVED)
    assert set(rows_under("Faults that stay")) == set(REFUSED)


def test_what_came_before_a_cut_is_not_asked_for_again(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    site.fault(PATH, cut_at(0.75))
    assert fetch(tmp_path, client, wanted(site)) == FILE
    assert sum(each.sent for each in site.served) == len(FILE)
    assert site.served[1].status == 206


def test_cuts_are_not_counted_as_long_as_something_comes(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    large = gzip.compress(os.urandom(900_000).hex().encode(), 1, mtime=0)
    site.put(PATH, large)
    site.fault(PATH, *[cut_after(100_000)] * 9)  # more often than a silent server is asked
    assert fetch(tmp_path, client, wanted(site)) == large
    assert site.times(PATH) == 10


def test_what_came_before_the_server_failed_is_resumed_by_the_next_run(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    site.fault(PATH, cut_at(0.75), *[failing(503)] * 6)
    assert "503" in refusal(tmp_path, client, wanted(site))
    assert left(tmp_path) == ["GSE1_series_matrix.txt.gz.part"]
    assert fetch(tmp_path, client, wanted(site)) == FILE
    assert sum(each.sent for each in site.served if each.status in (200, 206)) == len(FILE)


def test_a_captcha_page_does_not_replace_what_had_come(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    site.fault(PATH, cut_at(0.75), captcha())
    assert "requires a person" in refusal(tmp_path, client, wanted(site))
    assert (tmp_path / f"{PLACE}.part").read_bytes() == FILE[: int(0.75 * len(FILE))]
    assert fetch(tmp_path, client, wanted(site)) == FILE


TABLE = b"sample\tage\n" + b"A\t1\n" * 50_000


def test_a_table_without_a_checksum_is_fetched_from_its_start(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, TABLE)
    site.fault(PATH, cut_at(0.5), *[failing(503)] * 6)
    refusal(tmp_path, client, wanted(site, content=Content.table))
    # As a power cut may leave it: so many bytes, and not those that came.
    part = tmp_path / f"{PLACE}.part"
    part.write_bytes(TABLE.replace(b"A\t1", b"B\t2")[: part.stat().st_size])
    assert fetch(tmp_path, client, wanted(site, content=Content.table)) == TABLE


def test_a_table_with_a_known_checksum_is_resumed(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, TABLE)
    site.fault(PATH, cut_at(0.5))
    digest = hashlib.sha256(TABLE).hexdigest()
    assert fetch(tmp_path, client, wanted(site, content=Content.table, sha256=digest)) == TABLE
    assert sum(each.sent for each in site.served) == len(TABLE)


def test_a_kill_between_two_versions_mixes_nothing(
    site: Site, client: WebClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.put(PATH, FILE)
    site.fault(PATH, cut_at(0.5), *[failing(503)] * 6)
    refusal(tmp_path, client, wanted(site))
    site.put(PATH, NEWER)

    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(room._Coming, "_write", killed)
        fetch(tmp_path, client, wanted(site))
    assert left(tmp_path) == []
    assert fetch(tmp_path, client, wanted(site)) == NEWER


@pytest.mark.parametrize("etag", [True, False])
def test_a_server_without_ranges_gives_all_of_it_again(
    site: Site, client: WebClient, tmp_path: Path, etag: bool
) -> None:
    site.put(PATH, FILE, etag=etag)
    site.always(PATH, without_ranges)
    site.fault(PATH, lambda reply: cut_at(0.5)(without_ranges(reply)))
    assert fetch(tmp_path, client, wanted(site)) == FILE


def in_part(told: str | None = None, *, first: int | None = None) -> Fault:
    """The answer to a range request with another ``Content-Range``, or with its first bytes."""

    def spoilt(reply: Reply) -> Reply:
        told_now = reply.headers["Content-Range"] if told is None else told
        return replace(
            reply, body=reply.body[:first], headers={**reply.headers, "Content-Range": told_now}
        )

    return spoilt


HALF = len(FILE) // 2


@pytest.mark.parametrize(
    "told",
    [
        f"bytes 5-{len(FILE) - 1}/{len(FILE)}",
        f"bytes {HALF}-{len(FILE) - 1}/{len(FILE) + 5}",
        f"bytes {HALF}-{'9' * 5000}/{'9' * 5000}",
        "bytes banana",
        "",
    ],
    ids=["another start", "another size", "numbers without end", "no numbers", "nothing"],
)
def test_a_part_that_is_told_wrong_is_thrown_away(
    site: Site, client: WebClient, tmp_path: Path, told: str
) -> None:
    site.put(PATH, FILE)
    site.fault(PATH, cut_after(HALF), in_part(told))
    assert fetch(tmp_path, client, wanted(site)) == FILE
    assert [each.status for each in site.served] == [200, 206, 200]


def test_a_part_that_does_not_reach_the_end_is_gone_on_with(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    piece = in_part(f"bytes {HALF}-{HALF + 999}/{len(FILE)}", first=1000)
    site.fault(PATH, cut_after(HALF), piece)
    assert fetch(tmp_path, client, wanted(site)) == FILE
    assert sum(each.sent for each in site.served) == len(FILE)


@pytest.mark.parametrize("name", ["ETag", "Last-Modified"])
def test_a_version_with_letters_that_no_header_can_hold(
    site: Site, client: WebClient, tmp_path: Path, name: str
) -> None:
    site.put(PATH, FILE, etag=False, **{name: '"\xe9"'})
    site.fault(PATH, cut_at(0.5))
    assert fetch(tmp_path, client, wanted(site)) == FILE


def test_a_file_that_was_replaced_meanwhile_is_fetched_from_its_start(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    site.fault(PATH, cut_at(0.5), *[failing(503)] * 6)
    refusal(tmp_path, client, wanted(site))
    newer = gzip.compress(b"newer" * 100, mtime=0)
    site.put(PATH, newer)
    assert fetch(tmp_path, client, wanted(site)) == newer


def test_a_file_that_was_replaced_by_one_as_long_is_not_joined_to_what_had_come(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    # Stored, not compressed, so that both are equally long.
    file, newer = (gzip.compress(os.urandom(30_000).hex().encode(), 0, mtime=0) for _ in range(2))
    assert len(file) == len(newer)
    site.put(PATH, file)
    site.fault(PATH, cut_at(0.5), *[failing(503)] * 6)
    refusal(tmp_path, client, wanted(site))
    site.mend(PATH)
    asked = site.times(PATH)
    site.put(PATH, newer)
    assert fetch(tmp_path, client, wanted(site)) == newer
    # The server itself was asked to compare the versions, and sent the whole file at once.
    assert site.times(PATH) == asked + 1 and site.served[-1].sent == len(newer)


def test_a_part_that_is_longer_than_the_file_is_thrown_away(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    site.fault(PATH, cut_at(0.5), *[failing(503)] * 6)
    refusal(tmp_path, client, wanted(site))
    (tmp_path / f"{PLACE}.part").write_bytes(FILE + b"more")
    assert fetch(tmp_path, client, wanted(site)) == FILE


def test_a_part_that_is_whole_already_only_takes_its_place(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    site.fault(PATH, cut_at(0.5), *[failing(503)] * 6)
    refusal(tmp_path, client, wanted(site))
    (tmp_path / f"{PLACE}.part").write_bytes(FILE)
    assert fetch(tmp_path, client, wanted(site)) == FILE
    assert site.served_whole(PATH) == 0


def test_a_wrong_checksum_is_refused(site: Site, client: WebClient, tmp_path: Path) -> None:
    site.put(PATH, FILE)
    assert "and should be 00" in refusal(tmp_path, client, wanted(site, sha256="00" * 32))
    assert left(tmp_path) == []


def test_a_list_that_tells_another_size_is_not_believed(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    said = refusal(tmp_path, client, wanted(site, size=17))
    assert f"the server has {len(FILE):,} bytes of it, the list 17" in said


@pytest.mark.parametrize("told", [True, False])
def test_a_file_that_is_too_large_is_stopped(
    site: Site, client: WebClient, tmp_path: Path, told: bool
) -> None:
    site.put(PATH, FILE)
    if not told:
        site.always(PATH, lambda reply: Reply(reply.body, headers={"Content-Length": "x"}))
    said = refusal(tmp_path, client, wanted(site, most=100_000))
    assert "at most 100,000 are allowed" in said or not told
    assert left(tmp_path) == []


def test_a_gzip_file_that_is_called_an_encoding_stays_packed(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE, **{"Content-Encoding": "x-gzip"})
    assert fetch(tmp_path, client, wanted(site)) == FILE


def test_a_file_that_is_there_is_not_asked_for(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    fetch(tmp_path, client, wanted(site))
    fetch(tmp_path, client, wanted(site))
    assert site.times(PATH) == 1


def test_a_whole_file_of_somebody_else_is_kept(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    mine = gzip.compress(b"mine", mtime=0)
    (tmp_path / PLACE).parent.mkdir(parents=True)
    (tmp_path / PLACE).write_bytes(mine)
    assert fetch(tmp_path, client, wanted(site)) == mine
    assert not site.served


def test_a_captcha_page_that_another_tool_kept_as_data_is_named(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    (tmp_path / PLACE).parent.mkdir(parents=True)
    (tmp_path / PLACE).write_bytes(b"<!DOCTYPE html><p>captcha")
    with (
        open_fetch_folder(tmp_path) as folder,
        pytest.raises(FetchError, match=r"exists already.*captcha.*remove it"),
    ):
        folder.fetch(client, wanted(site))
    assert (tmp_path / PLACE).exists() and not site.served


def test_a_full_disk_is_told_before_the_first_byte(
    site: Site, client: WebClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.put(PATH, FILE)
    usage = room.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(room.shutil, "disk_usage", lambda path: usage._replace(free=1000))
    said = refusal(tmp_path, client, wanted(site))
    assert f"needs {len(FILE):,} bytes, and 1,000 are free" in said and "make space" in said
    monkeypatch.undo()
    assert fetch(tmp_path, client, wanted(site)) == FILE


def test_a_disk_that_fills_up_on_the_way_keeps_what_can_be_resumed(
    site: Site, client: WebClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.put(PATH, FILE)
    usual = room._Coming._put

    def put(self: room._Coming, write: Callable[[memoryview], int | None], chunk: bytes) -> None:
        def until_full(rest: memoryview) -> int | None:
            if self.at_hand() > 50_000:
                raise OSError(28, "No space left on device")
            return write(rest)

        usual(self, until_full, chunk)

    monkeypatch.setattr(room._Coming, "_put", put)
    assert "the disk is full" in refusal(tmp_path, client, wanted(site))
    assert left(tmp_path) == ["GSE1_series_matrix.txt.gz.part"]
    monkeypatch.undo()
    assert fetch(tmp_path, client, wanted(site)) == FILE


@pytest.mark.parametrize("step", ["begun", "done", "failed"])
def test_a_disk_without_space_for_the_journal_is_told_and_damages_nothing(
    site: Site, client: WebClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    site.put(PATH, FILE)
    if step == "failed":
        usage = room.shutil.disk_usage(tmp_path)
        monkeypatch.setattr(room.shutil, "disk_usage", lambda path: usage._replace(free=1000))
    usual = os.write

    def write(handle: int, line: memoryview) -> int:
        if f'"step": "{step}"'.encode() in bytes(line):
            usual(handle, line[:50])
            raise OSError(28, "No space left on device")
        return usual(handle, line)

    monkeypatch.setattr("genotex.journal.os.write", write)
    with (
        open_fetch_folder(tmp_path) as folder,
        pytest.raises(DiskFullError, match=r"the disk is full: .*make space in"),
    ):
        folder.fetch(client, wanted(site))
    monkeypatch.undo()
    journal = (tmp_path / "fetch" / "journal.jsonl").read_bytes()
    assert not journal or journal.endswith(b"}\n")
    assert fetch(tmp_path, client, wanted(site)) == FILE


def test_a_disk_without_space_for_a_note_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(handle: int, line: memoryview) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("genotex.journal.os.write", write)
    with (
        pytest.raises(DiskFullError, match=r"the journal could not be written .*make space in"),
        open_fetch_folder(tmp_path) as folder,
    ):
        folder.note("chosen", "geo asthma")


@pytest.mark.parametrize(
    ("content", "body", "message"),
    [
        (Content.json, b'{"a": 1}', None),
        (Content.json, b'{"a": 1', "is not complete JSON"),
        (Content.soft, b"^PLATFORM = GPL1\n!Platform_data_row_count = 0\n", None),
        (Content.soft, b"^PLATFORM = GPL1\n!Platform_data_row_count = 01", "ends too early"),
        (Content.json, b"\x1f\x8b", "gzip data came in place of json"),
        (Content.table, b"sample\tage\nA\t1\n", None),
        (Content.table, b"sample\tage\nA\t1", "the tab-separated text ends too early"),
        (Content.any_table, b"sample\tage\nA\t1\n", None),
        (Content.any_table, FILE, None),
        (Content.any_table, FILE[:-9], "gzip data end too early"),
        (Content.any_table, b"nothing of that kind", "came in place of tab-separated text, plain"),
        (Content.table, FILE, "gzip data came in place of tab-separated text"),
        (Content.parquet, b"PAR1....PAR1", None),
        (Content.parquet, b"PAR1....", "the parquet ends too early"),
        (Content.soft, b"^PLATFORM = GPL1\n!platform_table_end\n", None),
        (Content.soft, b"^PLATFORM = GPL1\n!platform_table_begin\n", "ends too early"),
    ],
)
def test_each_kind_of_file_is_checked_at_both_ends(
    site: Site,
    client: WebClient,
    tmp_path: Path,
    content: Content,
    body: bytes,
    message: str | None,
) -> None:
    site.put(PATH, body)
    if message is None:
        assert fetch(tmp_path, client, wanted(site, content=content)) == body
    else:
        assert message in refusal(tmp_path, client, wanted(site, content=content))
        assert left(tmp_path) == []


@pytest.mark.parametrize("path", ["GEO/../../a", "/etc/passwd", "GEO/.hidden", "GEO//a", "a\0b"])
def test_a_path_out_of_the_folder_is_refused(
    site: Site, client: WebClient, tmp_path: Path, path: str
) -> None:
    with (
        open_fetch_folder(tmp_path) as folder,
        pytest.raises(FetchError, match="is not an allowed file name"),
    ):
        folder.fetch(client, Wanted(site.url(PATH), path))
    assert not site.served


def test_two_processes_do_not_fetch_into_one_folder(tmp_path: Path) -> None:
    with (
        open_fetch_folder(tmp_path),
        pytest.raises(Exception, match="in use by another process"),
        open_fetch_folder(tmp_path),
    ):
        pass


def test_retry_after_is_waited_for(
    site: Site, client_of: Callable[..., WebClient], waits: list[float], tmp_path: Path
) -> None:
    site.put(PATH, FILE)
    date = {"Date": "Sun, 22 Nov 2026 10:00:00 GMT"}
    at = {"Retry_After": "Sun, 22 Nov 2026 10:00:45 GMT"}
    site.fault(PATH, failing(429, Retry_After="7"), failing(503, **at, **date), failing(503))
    fetch(tmp_path, client_of(site, limits=ClientLimits(read=1)), wanted(site))
    assert waits[:2] == [7.0, 45.0]
    assert 2.0 <= waits[2] <= 4.0  # the third pause of its own: 4 s, drawn from the upper half


def test_the_same_seed_waits_the_same(site: Site) -> None:
    site.always(PATH, failing(503))
    pauses: list[list[float]] = [[], [], []]
    for seed, waited in zip((1, 1, 2), pauses, strict=True):
        with (
            WebClient([site.address], limits=QUICK, seed=seed, sleep=waited.append) as client,
            pytest.raises(FetchError),
        ):
            client.text(site.url(PATH))
    assert pauses[0] == pauses[1] != pauses[2]
