"""Texts of samples that are pools of several people."""

import re

_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|multiple)"
_PEOPLE = r"(?:donor|patient|individual|subject|volunteer|participant|person|people|control|case)s?"
_POOL = re.compile(
    r"(?<![a-z])(?<!non)(?<!non[- ])(?<!not )(?<!un)(?<!un-)pool(?:s|ed)?(?![a-z])"
    rf"|\b(?:mix|mixture|blend) of (?:\w+[ -]){{0,4}}(?:rnas?|samples?|tissues|{_PEOPLE})\b"
    rf"|\b(?:of|from) {_NUMBER} (?:\w+[ -]){{0,3}}{_PEOPLE}\b",
    re.IGNORECASE,
)


def names_pool(text: str) -> bool:
    """Return whether a text names a pool of people."""
    return _POOL.search(text) is not None
