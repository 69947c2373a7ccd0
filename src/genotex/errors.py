"""Every exception that genotex raises on purpose.

::

    GenotexError
    ├── UsageError                 an option, a name or a combination makes no sense
    ├── FormatError                a file is not what it should be
    │   ├── NotDataError           an HTML page or other bytes in place of the data
    │   ├── TruncatedFileError     the file ends too early
    │   ├── SuperSeriesError       a SuperSeries: no samples or table of its own
    │   ├── EncodingFileError      an encoding file that cannot be applied
    │   └── VocabularyFileError    a vocabulary file with a mistake
    ├── AnalysisError              the statistics cannot be done on this table
    │   └── NoUsableCohortError    no cohort of the output folder fits the problem
    ├── MethodFailedError          a method could not answer a problem of a benchmark run
    └── WorkerLostError            a worker process was ended from outside

Catch ``GenotexError`` at the edge of a program: its message says what went wrong, where, and what
to do. Catch ``FormatError`` around one file when the others should go on.
"""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "AnalysisError",
    "EncodingFileError",
    "FormatError",
    "GenotexError",
    "MethodFailedError",
    "NoUsableCohortError",
    "NotDataError",
    "SuperSeriesError",
    "TruncatedFileError",
    "UsageError",
    "VocabularyFileError",
    "WorkerLostError",
]


class GenotexError(Exception):
    """Base of all exceptions of this package."""


class UsageError(GenotexError):
    """An option, a name or a combination of them makes no sense."""


class FormatError(GenotexError):
    """A file is not what it should be.

    Parameters
    ----------
    message : str
        What is wrong.
    path : Path, optional
        The file.
    line : int, optional
        Line number, counted from 1.
    field : str, optional
        Field or column name.
    hint : str, optional
        What the reader can do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        path: Path | None = None,
        line: int | None = None,
        field: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.field = field
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        """Survive the way from a worker process."""
        return (_rebuild, (type(self), self.message, self.path, self.line, self.field, self.hint))

    def __str__(self) -> str:
        """Message with the place in front and the advice behind."""
        place = str(self.path) if self.path is not None else ""
        if self.line is not None:
            place += f", line {self.line}" if place else f"line {self.line}"
        if self.field is not None:
            place += f", {self.field}" if place else self.field
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.hint})" if self.hint else text


def _rebuild(
    kind: type[FormatError],
    message: str,
    path: Path | None,
    line: int | None,
    field: str | None,
    hint: str | None,
) -> FormatError:
    return kind(message, path=path, line=line, field=field, hint=hint)


class NotDataError(FormatError):
    """An HTML page or other bytes stand in place of the data."""


class TruncatedFileError(FormatError):
    """The file ends too early, as after a download cut in half."""


class SuperSeriesError(FormatError):
    """The series is a SuperSeries: its samples are those of its SubSeries."""


class EncodingFileError(FormatError):
    """An encoding file cannot be read or does not fit the cohort."""


class VocabularyFileError(FormatError):
    """A vocabulary file cannot be read, or a table of it is not what it must be."""


class AnalysisError(GenotexError):
    """The statistics cannot be done on this table."""


class NoUsableCohortError(AnalysisError):
    """No cohort of the output folder fits the problem."""


class MethodFailedError(GenotexError):
    """A method could not answer a problem of a benchmark run.

    Parameters
    ----------
    error_class : str
        Of what kind the failure is (`genotex.runs.ErrorClass`).
    message : str
        What went wrong.
    """

    def __init__(self, error_class: str, message: str) -> None:
        super().__init__(error_class, message)
        self.error_class = error_class
        self.message = message

    def __str__(self) -> str:
        """Message alone."""
        return self.message


class WorkerLostError(GenotexError):
    """A worker process was ended from outside, as when memory runs out."""
