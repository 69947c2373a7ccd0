"""Arrays in files, HDF5 and NumPy: nothing leads out of the file, and sizes are known first."""

from __future__ import annotations

import mmap
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.extras import load_extra
from genotex.outside.limits import Gauge, Limits, current_limits

Shapes = Mapping[str, tuple[int, ...]]
"""The shape of every dataset of a file by its name, as ``obs/group``."""

_FILTERS = {1: "deflate", 2: "shuffle", 3: "fletcher32", 32000: "lzf"}
"""Filters that unpack no more than a chunk, or are checked (deflate)."""
_DEFLATE = 1
_DEFLATE_TIMES = 1032
"""How many times its size deflate unpacks to at most."""
_NO_CHECK = 512 << 20
"""A chunk that cannot unpack to more is not unpacked to be checked."""
_SLACK = 64
_HEAP = b"GCOL\x01\0\0\0"
"""Start of a collection of texts of any length (HDF5 specification, III.E, "Global Heap")."""
_LEGACY_CATEGORIES = b"categories"
"""Attribute by which AnnData before 0.8 refers to the categories of a column."""
_SAVE_AGAIN = "open it with its own program, and write the table again with anndata or as .csv"


@contextmanager
def open_hdf5(
    path: Path,
    limits: Limits | None = None,
    first: Callable[[Shapes], None] = lambda shapes: None,
    kind: str = "an HDF5 file",
) -> Iterator[Any]:
    """Open an HDF5 file that was checked; what was checked is what is read, by the same handle.

    `limits`: Those of the process by default. `first`: called with the shapes before sizes are
    judged, for a refusal that says more. `kind`: what the file should be, for messages. Yields open
    for reading.
    """
    h5py = load_extra("h5py", "anndata", path.name, ", or write the table as .csv or .parquet")
    limits = limits or current_limits()
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise _no_hdf5(path, error, kind) from error
    with file:
        try:
            _CheckedArrays(file, path, limits).check(first)
        except (OSError, RuntimeError, ValueError, TypeError, KeyError) as error:
            raise _no_hdf5(path, error, kind) from error
        yield file


def _no_hdf5(path: Path, error: Exception, kind: str) -> FormatError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    msg = f"is not {kind} that can be read: {reason}"
    return FormatError(msg, path=path, hint=_SAVE_AGAIN)


@dataclass(frozen=True)
class _Dataset:
    """A dataset."""

    name: str
    dataset: Any
    shape: tuple[int, ...]
    bytes: int
    has_texts: bool


class _CheckedArrays:
    """The check of an open file, with the low-level interface: nothing is followed or converted."""

    def __init__(self, file: Any, path: Path, limits: Limits) -> None:
        import h5py

        self._h5 = h5py
        self._file, self._path, self._limits = file, path, limits
        self._seen: set[int] = set()
        self._found: list[_Dataset] = []
        self._attributes: list[tuple[str, Any]] = []
        self._categories: list[tuple[str, int]] = []
        self._number = int(file.id.get_vfd_handle())

    def check(self, first: Callable[[Shapes], None]) -> None:
        """Refuse what must not be there, then what is too much."""
        if self._file.id.get_create_plist().get_sizes() != (8, 8):
            self._refuse("the file", "has addresses of an unusual size")
        self._walk()
        for name, target in self._categories:
            if target not in self._seen:
                self._refuse(name, "refers to an object that the file does not list")
        first({each.name: each.shape for each in self._found})
        packed = os.fstat(self._number).st_size
        gauge = Gauge(packed, self._path, self._limits)
        for each in self._found:
            self._check_chunks(each)
            gauge.add(each.bytes)
        texts = Gauge(packed, self._path, self._limits, "memory")
        longest = self._longest_text()
        for name, attribute in self._attributes:
            self._check_attribute(name, attribute, longest)
        for each in self._found:
            if each.has_texts:
                self._check_texts(each, longest, texts)

    def _refuse(self, name: str, why: str) -> None:
        msg = f"{name!r} {why}"
        raise FormatError(msg, path=self._path, hint=_SAVE_AGAIN)

    def _walk(self) -> None:
        """Visit every object by its hard link; another kind of link is refused."""
        h5 = self._h5
        root = h5.h5g.open(self._file.id, b"/")
        self._seen.add(h5.h5o.get_info(root).addr)
        waiting = [("", root, 1)]
        while waiting:
            above, group, depth = waiting.pop()
            self._keep_attributes(above or "/", group)
            what = f"has groups nested {depth} levels deep"
            self._limits.check("depth", depth, what, self._path)
            for raw in group:
                name = f"{above}{raw.decode(errors='replace')}"
                opened = self._opened(group, raw, name)
                if isinstance(opened, h5.h5g.GroupID):
                    waiting.append((f"{name}/", opened, depth + 1))
                elif isinstance(opened, h5.h5d.DatasetID):
                    self._keep_dataset(name, opened)
                else:
                    self._refuse(name, "is neither a group nor a dataset")

    def _opened(self, group: Any, raw: bytes, name: str) -> Any:
        h5 = self._h5
        link = group.links.get_info(raw).type
        if link != h5.h5l.TYPE_HARD:
            kinds = {h5.h5l.TYPE_SOFT: "a soft link", h5.h5l.TYPE_EXTERNAL: "an external link"}
            kind = kinds.get(link, "a link of an unknown kind")
            self._refuse(name, f"is {kind}; links are never followed")
        opened = h5.h5o.open(group, raw)
        address = h5.h5o.get_info(opened).addr
        if address in self._seen:
            self._refuse(name, "is a second link to an object of the file")
        self._seen.add(address)
        what = f"has more than {self._limits.objects:,} objects"
        self._limits.check("objects", len(self._seen), what, self._path)
        return opened

    def _keep_dataset(self, name: str, dataset: Any) -> None:
        # The storage comes first: asking for anything else may open the files that it names.
        h5 = self._h5
        plan = dataset.get_create_plist()
        if plan.get_layout() == h5.h5d.VIRTUAL:
            self._refuse(name, "is a virtual dataset, whose values are in other files")
        if plan.get_external_count():
            self._refuse(name, "keeps its values in another file (external storage)")
        for place in range(plan.get_nfilters()):
            code, _, _, label = plan.get_filter(place)
            if code not in _FILTERS:
                known = ", ".join(_FILTERS.values())
                shown = label.decode(errors="replace") or "without a name"
                self._refuse(name, f"is packed with filter {code} ({shown}); known are {known}")
        codes = [plan.get_filter(place)[0] for place in range(plan.get_nfilters())]
        if len(set(codes)) < len(codes):
            self._refuse(name, "is packed twice by the same filter")
        kind = dataset.get_type()
        if why := self._why_not(kind):
            self._refuse(name, f"holds {why}")
        space = dataset.get_space()
        shape = tuple(space.get_simple_extent_dims() or ())
        count = int(space.get_simple_extent_npoints())
        size = count * kind.get_size()
        is_text = kind.get_class() == h5.h5t.STRING and kind.is_variable_str()
        self._found.append(_Dataset(name, dataset, shape, size, is_text))
        self._keep_attributes(name, dataset)

    def _why_not(self, kind: Any) -> str:
        """Return why a type is refused, empty if it is not."""
        t = self._h5.h5t
        which = kind.get_class()
        if which in (t.INTEGER, t.FLOAT, t.STRING, t.ENUM, t.COMPLEX):
            return ""
        if which == t.REFERENCE:
            return "references, which are never followed"
        if which == t.OPAQUE:
            return f"bytes of an opaque type ({kind.get_tag().decode(errors='replace')[:40]})"
        if which == t.VLEN:
            return "objects: arrays of any length in its cells"
        if which == t.ARRAY:
            return self._why_not(kind.get_super())
        if which == t.COMPOUND:
            members = (kind.get_member_type(i) for i in range(kind.get_nmembers()))
            inside = next(filter(None, map(self._why_not, members)), "")
            return f"structures with {inside}" if inside else ""
        return "values of an unknown type"

    def _keep_attributes(self, name: str, thing: Any) -> None:
        h5 = self._h5
        count = h5.h5a.get_num_attrs(thing)
        what = f"has more than {self._limits.objects:,} attributes"
        self._limits.check("objects", len(self._attributes) + count, what, self._path)
        for place in range(count):
            attribute = h5.h5a.open(thing, index=place)
            label = f"{name}@{attribute.name.decode(errors='replace')}"
            why = self._why_not(attribute.get_type())
            if why and not self._is_category(attribute, thing, label):
                self._refuse(label, f"holds {why}")
            self._attributes.append((label, attribute))

    def _is_category(self, attribute: Any, thing: Any, label: str) -> bool:
        """Return whether an attribute is AnnData's old reference to a dataset of the file."""
        h5 = self._h5
        if attribute.name != _LEGACY_CATEGORIES or attribute.shape != ():
            return False
        if not attribute.get_type().equal(h5.h5t.STD_REF_OBJ):
            return False
        value = np.empty((), dtype=h5.ref_dtype)
        attribute.read(value)
        target = h5.h5r.dereference(value[()], thing)
        # Opened here, but read only if the walk finds and checks it too.
        self._categories.append((label, h5.h5o.get_info(target).addr))
        return True

    def _check_chunks(self, found: _Dataset) -> None:
        """Refuse chunks that are larger than they may be, or unpack to more than they state."""
        plan = found.dataset.get_create_plist()
        if plan.get_layout() != self._h5.h5d.CHUNKED:
            return
        chunk = prod(plan.get_chunk()) * found.dataset.get_type().get_size()
        if chunk > max(found.bytes, self._limits.free):
            what = f"has pieces of {self._limits.shown('free', chunk)} in {found.name!r}"
            self._limits.refuse("free", what, self._path, chunk)
        codes = [plan.get_filter(place)[0] for place in range(plan.get_nfilters())]
        if _DEFLATE not in codes or not found.bytes:
            return
        large: list[Any] = []

        def keep(stored: Any) -> None:
            if stored.size * _DEFLATE_TIMES > max(_NO_CHECK, chunk):
                large.append(stored)

        found.dataset.chunk_iter(keep)
        mask = 1 << codes.index(_DEFLATE)
        for stored in large:
            if stored.filter_mask & mask:
                continue
            packed = os.pread(self._number, stored.size, stored.byte_offset)
            try:
                unpacked = zlib.decompressobj().decompress(packed, chunk + _SLACK + 1)
            except zlib.error as error:
                self._refuse(found.name, f"is damaged: {error}")
            if len(unpacked) > chunk + _SLACK:
                self._refuse(found.name, "has a piece that unpacks to more than it states")

    def _longest_text(self) -> int:
        """Return the bytes of the longest text; cells may share one, so that few bytes are many."""
        longest = 0
        with mmap.mmap(self._number, 0, access=mmap.ACCESS_READ) as content:
            at = content.find(_HEAP)
            while at >= 0:
                size = int.from_bytes(content[at + 8 : at + 16], "little")
                end, place = min(at + size, len(content)), at + 16
                while place + 16 <= end and content[place : place + 2] != b"\0\0":
                    length = int.from_bytes(content[place + 8 : place + 16], "little")
                    longest = max(longest, min(length, size))
                    place += 16 + -(-length // 8) * 8
                at = content.find(_HEAP, at + 1)
        return longest

    def _check_attribute(self, name: str, attribute: Any, longest: int) -> None:
        count, kind = prod(attribute.shape), attribute.get_type()
        is_text = kind.get_class() == self._h5.h5t.STRING and kind.is_variable_str()
        size = count * (longest if is_text else kind.get_size())
        if size > self._limits.memory // 16:
            what = f"has up to {self._limits.shown('memory', size)} in the attribute {name!r}"
            self._limits.refuse("memory", what, self._path, 16 * size)

    def _check_texts(self, found: _Dataset, longest: int, gauge: Gauge) -> None:
        """Count the texts of a dataset, in pieces that cannot be large."""
        count = prod(found.shape)
        small = count * longest <= min(gauge.room, self._limits.free) // 2
        if small or len(found.shape) != 1:
            gauge.add(count * longest)
            return
        texts = self._h5.Dataset(found.dataset)
        step = max(1, self._limits.free // longest)
        for start in range(0, count, step):
            gauge.add(sum(map(len, texts[start : start + step])))


def read_array(path: Path) -> NDArray[Any]:
    """Map an array of numbers in NumPy's format into memory; no object is ever unpickled."""
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, SyntaxError) as error:
        msg = f"is not a NumPy array that can be read: {error}"
        raise FormatError(msg, path=path, hint="make it again") from error
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "iuf":
        msg = "holds no numbers"
        raise FormatError(msg, path=path, hint="make it again")
    return found
