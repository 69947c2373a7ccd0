"""The log of a group: who did what, and when; a line of JSON for each action."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

LOG = ".workbench-log.jsonl"
_EARLIER = ".workbench-log.earlier.jsonl"
_LARGEST = 8 << 20
"""Bytes after which a new file is begun; the one before is kept."""
_SHOWN, _LONGEST = 2000, 200
STUDY = ("trait", "series", "cohort", "accession", "output", "condition", "name", "link")
"""Fields of an address or a form that name what an action is about; no others are written."""
_Text = Annotated[str, StringConstraints(max_length=4 * _LONGEST)]


class Action(BaseModel):
    """One action: when, who, what, on which study, and the status of the answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    when: _Text
    who: _Text
    what: _Text
    study: dict[_Text, _Text] = {}
    status: int = 200

    @property
    def subject(self) -> str:
        """What it was about, in words."""
        return ", ".join(f"{name} {value}" for name, value in self.study.items())


class ActivityLog:
    """Writes actions to a file of the folder that only its owner can read, and shows the last."""

    def __init__(self, folder: Path) -> None:
        self._path, self._earlier = folder / LOG, folder / _EARLIER
        self._lock = threading.Lock()

    def write(
        self, who: str, what: str, study: Iterable[tuple[str, str]] = (), status: int = 200
    ) -> None:
        """Write an action; fields that do not name a study are left out."""
        named = {name: text[:_LONGEST] for name, text in study if name in STUDY and text}
        when = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds")
        action = Action(when=when, who=who, what=what, study=named, status=status)
        line = json.dumps(action.model_dump(), ensure_ascii=True) + "\n"
        with self._lock:
            with suppress(FileNotFoundError):
                if self._path.lstat().st_size > _LARGEST:
                    self._path.replace(self._earlier)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
            file = os.open(self._path, flags, 0o600)
            try:
                os.write(file, line.encode("ascii"))
            finally:
                os.close(file)

    def last(self) -> list[Action]:
        """Return the last actions, the newest first; lines that are none are skipped."""
        lines: deque[str] = deque(maxlen=_SHOWN)
        for path in (self._earlier, self._path):
            if path.is_file() and not path.is_symlink():
                with path.open(encoding="utf-8", errors="replace") as file:
                    lines.extend(file)
        found = []
        for line in reversed(lines):
            with suppress(ValidationError):
                found.append(Action.model_validate_json(line))
        return found


def study_of(*places: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the fields of addresses and forms that name a study."""
    given = [(name, place.get(name)) for place in places for name in STUDY]
    return [(name, text) for name, text in given if isinstance(text, str) and text]
