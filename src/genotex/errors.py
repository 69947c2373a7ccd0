"""Every exception that genotex raises on purpose.

::

    GenotexError
    ├── UsageError                 an option, a name or a combination makes no sense
    ├── FormatError                a file is not what it should be
    │   ├── NotDataError           an HTML page or other bytes in place of the data
    │   ├── TruncatedFileError     the file ends too early
    │   ├── FileLimitError         the file exceeds a limit of reading (`genotex.outside.Limits`)
    │   ├── SuperSeriesError       a SuperSeries: no samples or table of its own
    │   ├── EncodingFileError      an encoding file that cannot be applied
    │   ├── SampleSheetError       a sample sheet that cannot be applied
    │   └── VocabularyFileError    a vocabulary file with a mistake
    ├── AnalysisError              the statistics cannot be done on this table
    │   └── NoUsableCohortError    no cohort of the output folder fits the problem
    ├── ModelError                 a language model gave no usable answer
    │   ├── WrongKeyError          the provider does not accept the key
    │   ├── RateLimitedError       too many requests, even after waiting
    │   ├── OutOfCreditError       the account's credit or quota is used up
    │   ├── ModelUnavailableError  the service fails, is overloaded, or cut the connection
    │   ├── ModelTimeoutError      no whole answer within the time limit
    │   ├── RequestRejectedError   the provider rejects the request or does not know the model
    │   │   └── ContextTooLongError  the messages are longer than the model can read
    │   ├── RefusedError           the model, or a filter of the provider, refuses to answer
    │   ├── BadAnswerError         an answer that is empty, unreadable, or not of the requested form
    │   └── NotRecordedError       replay has no answer to this request
    ├── BudgetReachedError         a limit of cost, tokens or time is reached; can be resumed
    ├── NoSpaceError               the disk is full; the run stops and can be resumed
    ├── SandboxError               generated code cannot be run as requested
    │   ├── ConfinementError       a required isolation mechanism is unavailable here
    │   └── SessionDeadError       the session has ended, and the request needs it
    │       └── SessionKilledError     it was ended from outside
    ├── FetchError                 something could not be obtained from a public database
    │   ├── AddressRefusedError    an address, or a redirect, that is not followed
    │   ├── ServerUnavailableError the server fails, limits, or cuts the connection, even later
    │   ├── NotThereError          the server does not have it, or refuses it
    │   ├── WebPageError           a web page in place of the data
    │   │   └── CaptchaError       the server asks for a captcha
    │   ├── WrongContentError      cut short, damaged, or not what it should be
    │   ├── TooLargeError          larger than is allowed
    │   └── DiskFullError          no space for the file
    ├── MethodFailedError          a method could not answer a problem of a benchmark run
    └── WorkerLostError            a worker process was ended from outside

Catch ``GenotexError`` at the edge of a program: its message states what went wrong, where, and
what to do. Catch ``FormatError`` around one file when the others should continue, ``ModelError``
around one question to a model, ``FetchError`` around one file of many. ``BudgetReachedError`` is
not a ``ModelError``, nor ``NoSpaceError`` a ``SandboxError``: they end the run, not one question
or one session.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self


class GenotexError(Exception):
    """Base of all exceptions of this package."""


class UsageError(GenotexError):
    """An option, a name or a combination of them makes no sense."""


class FormatError(GenotexError):
    """A file is not what it should be.

    `message`: what is wrong. `line`: Line number, counted from 1. `field`: Field or column name.
    `hint`: what the user can do about it.
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

    def at(self, path: Path, line: int) -> Self:
        """Return the same error with its place in a file."""
        return type(self)(self.message, path=path, line=line, field=self.field, hint=self.hint)

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling between processes."""
        return (_rebuild, (type(self), self.message, self.path, self.line, self.field, self.hint))

    def __str__(self) -> str:
        """Place, message and advice."""
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
    """An HTML page or other bytes in place of the data."""


class TruncatedFileError(FormatError):
    """The file ends too early, as after a download cut in half."""


class FileLimitError(FormatError):
    """The file exceeds a limit of reading; who trusts it can raise the limit."""


class SuperSeriesError(FormatError):
    """The series is a SuperSeries: its samples are those of its SubSeries."""


class EncodingFileError(FormatError):
    """An encoding file cannot be read or does not fit the cohort."""


class SampleSheetError(FormatError):
    """A sample sheet cannot be read, or does not fit the series."""


class VocabularyFileError(FormatError):
    """A vocabulary file cannot be read, or a table of it is not what it must be."""


class AnalysisError(GenotexError):
    """The statistics cannot be done on this table."""


class NoUsableCohortError(AnalysisError):
    """No cohort of the output folder fits the problem."""


class ModelError(GenotexError):
    """A language model gave no usable answer.

    `message`: what went wrong; never with a key in it. `model`: name of the model, as
    ``openai:gpt-4o``. `hint`: what the user can do about it. `attempts`: number of requests to the
    provider. `working`, `waiting`: Seconds spent on calls, and between them.
    """

    def __init__(
        self,
        message: str,
        *,
        model: str | None = None,
        hint: str | None = None,
        attempts: int = 1,
        working: float = 0.0,
        waiting: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.model = model
        self.hint = hint
        self.attempts = attempts
        self.working = working
        self.waiting = waiting

    def __str__(self) -> str:
        """Model, message and advice."""
        text = f"{self.model}: {self.message}" if self.model else self.message
        if self.attempts > 1:
            text += f"; asked {self.attempts} times"
        return f"{text} ({self.hint})" if self.hint else text


class WrongKeyError(ModelError):
    """The provider does not accept the key, or the key may not use the model."""


class RateLimitedError(ModelError):
    """The provider was too many requests, even after waiting as long as is allowed."""


class OutOfCreditError(ModelError):
    """The account's credit or quota is used up; waiting does not help."""


class ModelUnavailableError(ModelError):
    """The service fails, is overloaded or out of reach, or the connection was cut."""


class ModelTimeoutError(ModelError):
    """No whole answer came within the time limit."""


class RequestRejectedError(ModelError):
    """The provider does not accept the request as it is, or does not know the model."""


class ContextTooLongError(RequestRejectedError):
    """The messages are longer than the model can read."""


class RefusedError(ModelError):
    """The model, or a filter of the provider, refuses to answer."""


class BadAnswerError(ModelError):
    """The answer is empty, cannot be read, or is not of the requested form."""


class NotRecordedError(ModelError):
    """A recording is replayed, and it has no answer to this request."""


class BudgetReachedError(GenotexError):
    """A limit of cost, tokens, calls or time is reached: no further call is started.

    Finished work is kept; with a higher limit the run can be resumed.

    `message`: which limit, what was spent, and what to do. `limit`: name of the limit:
    ``max_cost``, ``max_tokens``, ``max_calls`` or ``max_time``.
    """

    def __init__(self, message: str, limit: str = "") -> None:
        super().__init__(message)
        self.limit = limit


class NoSpaceError(GenotexError):
    """The disk is full, or a quota is used up.

    It stops a run and is never the outcome of a cohort or a problem. Finished work is kept; once
    there is room, the run can be resumed.
    """


class SandboxError(GenotexError):
    """Generated code cannot be run as requested."""


class ConfinementError(SandboxError):
    """A required isolation mechanism is unavailable on this machine."""


class SessionDeadError(SandboxError):
    """The session has ended, and the request needs it; never a result of the code itself."""


class SessionKilledError(SessionDeadError):
    """The session was ended from outside between two cells."""


class FetchError(GenotexError):
    """Something could not be obtained from a public database.

    `message`: what went wrong; never with a key in it. `address`: the address requested, without
    key. `hint`: what the user can do about it.
    """

    def __init__(
        self, message: str, *, address: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.address = address
        self.hint = hint

    def __str__(self) -> str:
        """Address, message and advice."""
        text = f"{self.address}: {self.message}" if self.address else self.message
        return f"{text} ({self.hint})" if self.hint else text


class AddressRefusedError(FetchError):
    """An address, or the target of a redirect, is not allowed."""


class ServerUnavailableError(FetchError):
    """The server fails, limits requests, or cut the connection, even after waiting."""


class NotThereError(FetchError):
    """The server does not have it, or refuses it."""


class WebPageError(FetchError):
    """A web page in place of the data."""


class CaptchaError(WebPageError):
    """The server asks for a captcha; further requests make it worse."""


class WrongContentError(FetchError):
    """The download is cut short, damaged, or not what it should be."""


class TooLargeError(FetchError):
    """The download is larger than allowed."""


class DiskFullError(FetchError):
    """No space for the file."""


class MethodFailedError(GenotexError):
    """A method could not answer a problem of a benchmark run.

    `error_class`: of what kind the failure is (`genotex.bench.runs.ErrorClass`). `message`: what
    went wrong.
    """

    def __init__(self, error_class: str, message: str) -> None:
        super().__init__(error_class, message)
        self.error_class = error_class
        self.message = message

    def __str__(self) -> str:
        """Return the message alone."""
        return self.message


class WorkerLostError(GenotexError):
    """A worker process was ended from outside, as when memory runs out."""
