"""Members of tar archives are read where they are, and an archive cannot lead elsewhere."""

import gzip
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from genotex.errors import FileLimitError, FormatError, TruncatedFileError
from genotex.outside import check_tar, tar_members


def member(name: str, body: bytes = b"x", **facts: object) -> tuple[tarfile.TarInfo, bytes]:
    made = tarfile.TarInfo(name)
    made.size = len(body)
    for key, value in facts.items():
        setattr(made, key, value)
    return made, body


def archive(
    path: Path, *members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT
) -> Path:
    with tarfile.open(path, "w", format=form) as out:
        for made, body in members:
            out.addfile(made, io.BytesIO(body))
    return path


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_members_are_listed_and_read_as_tarfile_does(tmp_path: Path, form: int) -> None:
    long = "a" * 90 + "/" + "b" * 60 + ".txt"
    bodies = {"GSM1_a.txt": b"one\n" * 700, "folder/GSM2_b.txt": b"two", long: b"", "./c": b"3"}
    path = archive(tmp_path / "x.tar", *(member(n, b) for n, b in bodies.items()), form=form)
    found = {}
    for each in tar_members(path):
        with each.open() as handle:
            found[each.member] = handle.read()
            handle.seek(1)
            assert handle.read(2) == found[each.member][1:3]
    with tarfile.open(path) as theirs:
        assert found == {
            m.name.removeprefix("./"): theirs.extractfile(m).read()  # type: ignore[union-attr]
            for m in theirs.getmembers()
        }


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"name": "../out.txt"}, "leads out"),
        ({"name": "/etc/passwd"}, "leads out"),
        ({"name": "a\\b"}, "leads out"),
        ({"name": "a", "type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}, "a link"),
        ({"name": "a", "type": tarfile.LNKTYPE, "linkname": "b"}, "a link"),
        ({"name": "a", "type": tarfile.FIFOTYPE}, "a link, a device"),
        ({"name": "a", "type": tarfile.GNUTYPE_SPARSE}, "sparse"),
        ({"name": "a\nb"}, "usable name"),
    ],
)
def test_what_is_not_a_plain_file_inside_is_refused(
    tmp_path: Path, facts: dict[str, object], words: str
) -> None:
    made, _ = member(**{**facts, "body": b""})  # type: ignore[arg-type]
    with pytest.raises(FormatError, match=words):
        tar_members(archive(tmp_path / "x.tar", (made, b"")))


def test_a_name_twice_and_a_hidden_size_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="twice"):
        tar_members(archive(tmp_path / "x.tar", member("a"), member("a")))
    made, body = member("a", pax_headers={"size": "999999999999"})
    path = archive(tmp_path / "y.tar", (made, body), form=tarfile.PAX_FORMAT)
    with pytest.raises(FormatError, match="not in its header"):
        tar_members(path)


@pytest.mark.parametrize("keep", [100, 700, 1030])
def test_a_cut_archive_is_refused(tmp_path: Path, keep: int) -> None:
    path = archive(tmp_path / "x.tar", member("a", b"y" * 600), member("b"))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(TruncatedFileError, match=r"ends (too early|within)"):
        tar_members(path)


def test_too_many_members_are_refused(tmp_path: Path, set_limits: Callable[..., None]) -> None:
    set_limits(objects=2)
    with pytest.raises(FileLimitError, match="more than 2 members"):
        tar_members(archive(tmp_path / "x.tar", *(member(f"m{i}") for i in range(3))))


def test_a_bomb_inside_is_refused_while_it_is_checked(
    tmp_path: Path, set_limits: Callable[..., None]
) -> None:
    set_limits(free=1 << 20)
    bomb = gzip.compress(b"A" * (8 << 20))
    with pytest.raises(FileLimitError, match="ratio"):
        check_tar(archive(tmp_path / "x.tar", member("a.txt.gz", bomb)))
    with pytest.raises(TruncatedFileError, match="gzip"):
        check_tar(archive(tmp_path / "x.tar", member("a.txt.gz", gzip.compress(b"text")[:-9])))
