"""Treatments, and whether a sample is untreated or had a control treatment such as a vehicle."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

from genotex.features.feature import (
    MISSING,
    Placed,
    PlacedStatement,
    SampleFeature,
    SeriesTexts,
    Statement,
    only_statement,
)
from genotex.features.known.time_point import time_from_text
from genotex.features.plain_text import packaged_table, plain_key

TreatmentGroup = Literal["untreated", "control treatment", "treated"]

_KEY = re.compile(
    r"(?:(?:drug|cell|chemical|in vitro|ex vivo|sample|culture|study|experimental|compound) )?"
    r"(?:treatments?|treated with|treatment (?:group|arm|condition|type|agent|drug|name|status)"
    r"|treatment/?agent|agents?|compounds?|drugs?|stimul(?:us|ation|ated with)|small molecule"
    r"|perturb(?:agen|ation)|transfect(?:ion|ed with)|transduc(?:tion|ed with)|sirna|shrna"
    r"|inhibitor|\w+ ?stimulation)(?: ?[(\[][^()\[\]]*[)\]])?"
)
_ONLY_WITH_CONTROLS = re.compile(
    r"(?:(?:viral|virus|in vitro|cell) )?(?:infection|exposure|exposed to|challenge|intervention)"
    r"(?: status)?"
)
"""Keys that mean an experiment only where one of the values is a control treatment."""

_WORDS = packaged_table("genotex.features", "relations")
_CONTROL, _UNTREATED = "|".join(_WORDS["control_treatments"]), "|".join(_WORDS["untreated"])
_CONTROL_WORD = re.compile(rf"(?<![A-Za-z0-9])(?:{_CONTROL})(?![A-Za-z0-9])", re.IGNORECASE)
_UNTREATED_WORD = re.compile(rf"(?<![A-Za-z])(?:{_UNTREATED})(?![A-Za-z])", re.IGNORECASE)
_NONE = frozenset({"none", "no", "n", "nil", "nt", "untr", "ut", "unt", "medium", "media"})
_YES = frozenset({"yes", "y", "treated", "+"})
_PLAIN_CONTROL = frozenset({"control", "ctrl", "ctl", "con", "controls"})
_FILLERS = re.compile(
    r"\b(?:controls?|ctrl|treated|treatment|only|alone|cells?|for|the|with|in|as|at|solution|of"
    r"|infect(?:ed|ion)|transfect(?:ed|ion)|transduc(?:ed|tion)|exposed|exposure|injection|surgery"
    r"|s[ih]rna|lentivir(?:us|al)|vector|group|sample|a|an|by|medium|media|buffer"
    r"|minutes?|mins?|hours?|hrs?|h|days?|weeks?|wks?|months?|rep(?:licate)?|v|differentiation|culture)\b"
    r"|\s+",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\d\W_]+")
_NO_AGENT = re.compile(
    r"\bcontrols?\b|\b(?:pt|p|s)\d+$|\bcultured?\b|\bno\b|\bwithout\b|\bminus\b"
    r"|\b(?:full|complete|normal|growth) medi|\bgroup \w$|\bvarious\b|\bdifferent\b|\bsee\b"
)
_PEOPLE = re.compile(
    r"\bhealthy\b|\bnormals?\b|\bpatients?\b|\bdisease|\bdonors?\b|\btumou?rs?\b|\bcancer\b"
    r"|\bcarcinoma\b|respon[ds]|\bsubjects?\b|\bwild[- ]?type\b|\bage|\bbiops"
    r"|\bdiagnos|\brelaps|\bremission\b|^(?:before|pre|prior|baseline)\b",
    re.IGNORECASE,
)
_TIME_ONLY = re.compile(
    r"(?:pre|post|before|after|baseline|follow[ -]?up)(?:[- ]?(?:treatment|therapy|dose|surgery))?",
    re.IGNORECASE,
)
_LONGEST = 80


def control_group(text: str) -> TreatmentGroup | None:
    """Return whether the whole of a text means untreated or a control treatment, else None."""
    plain = " ".join(text.replace("_", " ").split())
    if re.sub(r"[ (]*\bcontrol\)?$", "", plain.casefold()) in _NONE:
        return "untreated"
    for form, group in ((_UNTREATED_WORD, "untreated"), (_CONTROL_WORD, "control treatment")):
        if form.search(plain):
            rest = _UNTREATED_WORD.sub(" ", _CONTROL_WORD.sub(" ", _without_doses(plain)))
            if not _FILLERS.sub(" ", _SIGNS.sub(" ", rest)).strip():
                return group  # type: ignore[return-value]
    return None


def _treatments_from_column(
    key: str, cells: Sequence[Sequence[str]], about_people: bool = False
) -> tuple[dict[int, Statement], dict[int, TreatmentGroup]]:
    """Return the treatments that the values of a key state, and their groups, by sample."""
    name = plain_key(key)
    values = {number: found[0].strip() for number, found in enumerate(cells) if len(found) == 1}
    states = {value: control_group(value) for value in set(values.values())}
    if not _KEY.fullmatch(name) and not (
        _ONLY_WITH_CONTROLS.fullmatch(name) and _is_experiment(name, states)
    ):
        return {}, {}
    # "control" next to "untreated" is another group: healthy people.
    about_people = (
        about_people or "untreated" in states.values() or any(map(_PEOPLE.search, states))
    )
    named = {value: _state(value, group, about_people) for value, group in states.items()}
    stated, groups = {}, {}
    for number, value in values.items():
        found = named[value]
        if found is not None:
            stated[number], groups[number] = Statement(found[0], value), found[1]
    return stated, groups


def _is_experiment(name: str, states: Mapping[str, TreatmentGroup | None]) -> bool:
    # "infection: uninfected" may be a patient without a disease; "mock" never is.
    needed = "control treatment" if "infect" in name else None
    return any(group == needed or (group and needed is None) for group in states.values())


def _state(
    value: str, group: TreatmentGroup | None, about_people: bool
) -> tuple[str, TreatmentGroup] | None:
    plain = " ".join(value.split()).casefold()
    if group is not None:
        return ("untreated" if group == "untreated" else plain), group
    if plain in _YES:
        return "treated", "treated"
    if plain in _PLAIN_CONTROL:
        return None if about_people else (plain, "control treatment")
    only_time = (
        time_from_text(plain) is not None and not _FILLERS.sub(" ", _SIGNS.sub(" ", plain)).strip()
    )
    unclear = (
        only_time
        or plain in MISSING
        or len(plain) > _LONGEST
        or not re.search(r"[a-z]{2}|[a-z]\d", plain)
        or _PEOPLE.search(plain)
        or _NO_AGENT.search(plain)
        or _UNTREATED_WORD.search(plain)
        or _TIME_ONLY.fullmatch(plain)
    )
    return None if unclear else (plain, "treated")


_NAME = (
    r"(?:[A-Za-z][\w-]*\d[\w-]*|[A-Z][\w/-]+|[a-z][\w/-]{3,})"
    r"(?: (?:alpha|beta|gamma|lambda|acid)\b)?"
)
_WITH = re.compile(
    rf"\b(?:treated|stimulated|transfected|incubated) with (?P<name>{_NAME})"
    r"(?P<more>(?: and | plus |, ?and | ?[/,&] ?)\w)?"
)
_DONE = re.compile(rf"(?<![\w-])(?P<name>{_NAME})-(?:treated|stimulated)\b")
_NOT_TREATED = re.compile(r"\b(?:not|never|un|non|before|prior)\b|\buntreated\b", re.IGNORECASE)
_NO_NAME = frozenset(_WORDS["no_agents"])
_CONTROL_TITLE = re.compile(
    rf"(?<![A-Za-z0-9])(?:{_CONTROL}|{_UNTREATED})(?:[- ]treated)?(?![A-Za-z0-9]|-[A-Za-z])",
    re.IGNORECASE,
)
_OTHERS_TOO = re.compile(
    r"\+|&|\bplus\b|\bversus\b|\bvs\b|\bthen\b|\bin (?:dmso|pbs|saline)\b|\bplasma\b|\blavage\b"
    r"|\bwash|\bor\b",
    re.IGNORECASE,
)


def _treatment_from_text(text: str) -> tuple[Statement, TreatmentGroup] | None:
    """Return the treatment that a title or a source name states in words."""
    plain = " ".join(_without_doses(text.replace("_", " ")).split())
    if _OTHERS_TOO.search(plain):
        return None
    controls = {hit.group().casefold(): hit.group() for hit in _CONTROL_TITLE.finditer(plain)}
    hits = [hit for form in (_WITH, _DONE) for hit in form.finditer(plain)]
    names = {hit["name"].casefold(): hit.group() for hit in hits if _names_agent(hit["name"])}
    none = [_UNTREATED_WORD.search(word) is not None for word in controls]
    if controls and len(set(none)) == 1 and not names:
        # "treated with vehicle (0.1% DMSO)"
        words, untreated = next(iter(controls.values())), none[0]
        value = "untreated" if untreated else re.sub(r"[- ]treated$", "", words.casefold())
        return Statement(value, words), "untreated" if untreated else "control treatment"
    several = any(hit.groupdict().get("more") for hit in hits)
    if controls or len(names) != 1 or several or _NOT_TREATED.search(plain):
        return None
    ((name, words),) = names.items()
    return Statement(name, words), "treated"


def _names_agent(name: str) -> bool:
    plain = name.casefold()
    known = plain in _NO_NAME or plain.endswith("ly") or plain.startswith(("un", "non-", "pre-"))
    return not known and not _CONTROL_WORD.fullmatch(name)


_TOKENS = re.compile(r"[\s_,;|()\[\]:.]+")
_REPLICATE = re.compile(
    r"(?:biol?|tech)?[-]?(?:replicates?|reps?|r|n|#)?-?\d{1,2}[a-d]?|biological|technical|replicates?|rep",
    re.IGNORECASE,
)
_NO_SLOT = re.compile(
    r"healthy|normals?|controls?|ctrl|patients?|disease|cases?|tumou?r|cancer|samples?|total|rna|input"
    r"|male|female|wt|wildtype|ko|mutant|\d+(?:h|hr|hrs|d|min)?|day\d*|week\d*",
    re.IGNORECASE,
)


def _treatments_by_slot(
    titles: Sequence[str | None], stated: Mapping[int, tuple[Statement, TreatmentGroup]]
) -> dict[int, tuple[Statement, TreatmentGroup]]:
    """Return treatments of titles that equal that of a control but for one word."""
    # "A549_JQ1_rep1" is next to "A549_DMSO_rep1".
    frames: Counter[tuple[str, ...]] = Counter()
    for number, (found, group) in stated.items():
        words, title = found.words, titles[number]
        # "RA_untreated_3" may be next to "RA_remission_3".
        lab_only = group == "control treatment" or "stimulated" in words.casefold()
        if title and lab_only and not re.search(r"\s", words):
            tokens = _tokens(title)
            places = [i for i, token in enumerate(tokens) if token.casefold() == words.casefold()]
            if len(places) == 1:
                frames[_frame(tokens, places[0])] += 1
    found_by: dict[int, tuple[Statement, TreatmentGroup]] = {}
    for number, title in enumerate(titles):
        if not title or number in stated:
            continue
        tokens = _tokens(title)
        slots = [i for i in range(len(tokens)) if _frame(tokens, i) in frames]
        if len(slots) == 1 and _is_name(token := tokens[slots[0]]):
            found_by[number] = Statement(token.casefold(), token), "treated"
    counts = Counter(found.value for found, _ in found_by.values())
    return {n: found for n, found in found_by.items() if counts[found[0].value] > 1}


def _tokens(title: str) -> list[str]:
    return [t for t in _TOKENS.split(_without_doses(title.replace("_", " "))) if t]


def _frame(tokens: Sequence[str], place: int) -> tuple[str, ...]:
    around = ["*" if i == place else token.casefold() for i, token in enumerate(tokens)]
    return tuple(token for token in around if not _REPLICATE.fullmatch(token))


def _is_name(token: str) -> bool:
    plain = len(token) > 1 and not _NO_SLOT.fullmatch(token) and not _REPLICATE.fullmatch(token)
    return plain and re.search(r"[A-Za-z]{2}|[A-Za-z]\d", token) is not None


# --- Doses

_DOSE_KEY = re.compile(
    r"(?:(?:drug|compound|chemical|agent|treatment|final|inhibitor|radiation|irradiation|stimulus)"
    r" )?(?:dose|dosage|concentration|conc)(?: level)?(?: ?[(\[][^()\[\]]*[)\]])?"
)
_DOSE = (
    r"(\d+(?:[.,]\d+)?) ?"
    r"((?:[pnuµμm]M|micro ?M|[npuµμm]g/m[lL]|[uµμm]g/kg|mg/m2|[mc]?Gy|k?I?U/m[lL])|%)"
)
_DOSE_TEXT = re.compile(rf"(?<![\w.]){_DOSE}(?![\w/])")
_DOSE_VALUE = re.compile(rf"{_DOSE}|\d+(?:[.,]\d+)?(?: ?[a-zA-Zµμ/%]{{1,8}})?")


def dose_from_key(key: str, value: str) -> Statement | None:
    """Return the dose that a characteristic states."""
    if not _DOSE_KEY.fullmatch(plain_key(key)) or not _DOSE_VALUE.fullmatch(value.strip()):
        return None
    return Statement(_dose(value), value)


def dose_from_text(text: str) -> Statement | None:
    """Return the one dose that a title or a source name states."""
    hits = _DOSE_TEXT.finditer(text.replace("_", " "))
    stated = only_statement({_dose(hit.group()): hit.group() for hit in hits})
    return None if stated is None or stated.value.endswith("%") else stated


def _without_doses(text: str) -> str:
    """Return a text without the doses in it."""
    return _DOSE_TEXT.sub(" ", text)


def _dose(text: str) -> str:
    plain = re.sub(r"[µμ]|micro ?(?=M)", "u", text.strip()).replace(",", ".")
    return re.sub(r"(?<=\d) *(?=[^\d.\s])", " ", plain)


def _find_treatments(texts: SeriesTexts) -> Placed:
    """Return the treatments."""
    return _treatments(texts)[0]


def find_treatment_groups(texts: SeriesTexts) -> Placed:
    """Return who was treated, and who was untreated or had a control treatment."""
    return _treatments(texts)[1]


@lru_cache(maxsize=1)
def _treatments(texts: SeriesTexts) -> tuple[Placed, Placed]:
    """Return treatments and groups, which the features ask for one after the other."""
    named: Placed = {}
    groups: Placed = {}

    def add(number: int, place: str, statement: Statement, group: TreatmentGroup) -> None:
        if number not in groups:
            groups[number] = PlacedStatement(group, place, statement.words)
            named[number] = PlacedStatement(statement.value, place, statement.words)

    healthy = any(
        "healthy" in value.casefold()
        for cells in texts.columns.values()
        for values in cells
        for value in values
    )
    for key, cells in texts.columns.items():
        column, states = _treatments_from_column(key, cells, healthy)
        for number, statement in column.items():
            add(number, f"characteristic '{key}'", statement, states[number])
    for place, line in (("title", texts.titles), ("source", texts.sources)):
        known = {text: _treatment_from_text(text) for text in set(line) if text}
        stated = {n: f for n, text in enumerate(line) if text and (f := known[text])}
        slots = _treatments_by_slot(line, stated) if place == "title" else {}
        for number, (statement, group) in {**slots, **stated}.items():
            add(number, place, statement, group)
    return named, groups


TREATMENT = SampleFeature(
    name="treatment",
    label="Treatment",
    scale="levels",
    find=_find_treatments,
    mixture="Samples of several treatments",
)
