"""Reads the text of a design: R's formulas, and nothing that could be evaluated.

The tree that is checked here is the tree that `formula_tree` computes. Outside of functions and
braces the operators are those of terms (``a * b``, ``(a + b)^2``); inside they are arithmetic and
comparison.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NoReturn

from genotex.analysis.designs.formula_tree import (
    FUNCTIONS,
    LIMITS,
    Argument,
    Arithmetic,
    ColumnName,
    Constant,
    FunctionCall,
    Listing,
    Node,
    ParsedFormula,
    Term,
    label,
    misfit,
    names_in,
    shortened,
)
from genotex.errors import UsageError

_TOO_MANY = f"it has more than {LIMITS.terms:,} terms"
_COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")


def parse_formula(text: str) -> ParsedFormula:
    """Read a formula.

    Raises
    ------
    UsageError
        If it is not a formula of this language, or larger than `LIMITS`; says where.
    """
    if len(text) > LIMITS.characters:
        msg = (
            f"the design {text[:40]!r}... has {len(text):,} characters; at most "
            f"{LIMITS.characters:,} are allowed"
        )
        raise UsageError(msg)
    return _Parser(text).formula()


_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
    |(?P<name>[^\W\d][\w.]*|\.[^\W\d][\w.]*)
    |`(?P<quoted>[^`]+)`
    |"(?P<double>[^"]*)"|'(?P<single>[^']*)'
    |(?P<sign>%in%|\*\*|==|!=|<=|>=|[-+*/:^()\[\]{},=<>~|])
    )""",
    re.VERBOSE,
)
_CONSTANTS = {
    "True": True, "TRUE": True, "False": False, "FALSE": False, "None": None, "NULL": None,
}  # fmt: skip


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    place: int


_Terms = dict[frozenset[str], Term]
"""Terms by their factors as text: a:b and b:a are one."""
_INTERCEPT: _Terms = {frozenset(): ()}


class _Parser:
    """Recursive descent with a limit of depth; algebra of terms outside, arithmetic inside."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokenize())
        self.place = 0
        self.depth = 0
        self.offsets: list[Node] = []

    def _tokenize(self) -> Iterator[_Token]:
        place, end = 0, len(self.text.rstrip())
        while place < end:
            found = _TOKEN.match(self.text, place)
            if found is None or found.lastgroup is None:
                rest = self.text[place:].strip()
                self._fail(f"{shortened(rest)!r} is not part of the language")
            kind = found.lastgroup
            yield _Token("string" if kind in ("double", "single") else kind, found[kind], place)
            place = found.end()

    def _fail(self, why: str) -> NoReturn:
        msg = f"the design {shortened(self.text, 200)!r} cannot be read: {why}"
        raise UsageError(msg)

    def _unexpected(self, wanted: str) -> NoReturn:
        if self.place == len(self.tokens):
            why = f"it ends where {wanted} should follow"
        else:
            rest = self.text[self.tokens[self.place].place :].strip()
            why = f"{shortened(rest)!r} is in the place of {wanted}"
        self._fail(f"{why}. Write for example '~ group + age'")

    def _peek(self, *signs: str) -> str:
        """Return the next sign if it is one of these, else an empty text."""
        if self.place < len(self.tokens):
            token = self.tokens[self.place]
            if token.kind == "sign" and token.text in signs:
                return token.text
        return ""

    def _take(self, *signs: str) -> str:
        found = self._peek(*signs)
        self.place += bool(found)
        return found

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            self._unexpected(repr(sign))

    def _next(self, *kinds: str) -> _Token | None:
        if self.place < len(self.tokens) and self.tokens[self.place].kind in kinds:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > LIMITS.depth:
            self._fail(f"it is nested more than {LIMITS.depth} levels deep")

    # Outside of functions and braces: the algebra of terms.

    def formula(self) -> ParsedFormula:
        """Read the whole text."""
        if any(token.text == "~" and token.kind == "sign" for token in self.tokens[1:]):
            msg = (
                f"the design {shortened(self.text, 200)!r} has an outcome before '~'; the outcome "
                "is the expression of each gene: write what it depends on, as in '~ group + age'"
            )
            raise UsageError(msg)
        if any(token.text == "|" and token.kind == "sign" for token in self.tokens):
            self._fail(
                "'|' for random effects is not part of the language; name the people in --block"
            )
        self._take("~")
        terms = self._sum(top=True)
        if self.place < len(self.tokens):
            self._unexpected("an operator or the end")
        ordered = tuple(sorted(terms.values(), key=len))
        if not ordered and not self.offsets:
            self._fail("it has no terms")
        return ParsedFormula(ordered, tuple(self.offsets))

    def _sum(self, *, top: bool = False) -> _Terms:
        self._deeper()
        found: _Terms = dict(_INTERCEPT) if top else {}
        sign = self._take("+", "-") or "+"
        while True:
            if top and (number := self._intercept()) is not None:
                # Without intercept: "- 1" and "+ 0".
                keep = (sign == "+") == (number == "1")
                found = {**found, **_INTERCEPT} if keep else _without(found, _INTERCEPT)
            elif top and self._is_offset():
                self._offset(sign)
            else:
                terms = self._crossed()
                found = _without(found, terms) if sign == "-" else self._joined(found, terms)
            sign = self._take("+", "-")
            if not sign:
                self.depth -= 1
                return found

    def _joined(self, *sums: _Terms) -> _Terms:
        """Return the terms of several sums, each as it was written first."""
        found: _Terms = {}
        for terms in sums:
            for key, term in terms.items():
                found.setdefault(key, term)
        if len(found) > LIMITS.terms:
            self._fail(_TOO_MANY)
        return found

    def _intercept(self) -> str | None:
        """Take a lone 0 or 1."""
        token = self._next("number")
        if token is None:
            return None
        if token.text not in ("0", "1") or self._peek("*", "/", ":", "^", "**", "%in%"):
            self._fail(
                f"{token.text!r} is a number where a column should be; arithmetic goes into I(), "
                "as in 'I(2 * age)'"
            )
        return token.text

    def _is_offset(self) -> bool:
        following = self.tokens[self.place : self.place + 2]
        return [token.text for token in following] == ["offset", "("]

    def _offset(self, sign: str) -> None:
        if sign == "-":
            self._fail("an offset cannot be subtracted; write offset(-x)")
        self.place += 2
        self.offsets.append(self._comparison())
        self._expect(")")

    def _crossed(self) -> _Terms:
        """Read ``a * b`` and ``a / b``."""
        found = self._interaction()
        while sign := self._take("*", "/", "%in%"):
            other = self._interaction()
            if sign == "*":
                found = self._joined(found, other, self._products(found, other))
                continue
            outer, inner = (other, found) if sign == "%in%" else (found, other)
            every = {frozenset[str]().union(*outer): _merged(outer.values())}
            found = self._joined(outer, self._products(every, inner))
        return found

    def _interaction(self) -> _Terms:
        found = self._power()
        while self._take(":"):
            found = self._products(found, self._power())
        return found

    def _power(self) -> _Terms:
        found = self._factor()
        while self._take("^", "**"):
            token = self._next("number")
            if token is None or not token.text.isdigit() or int(token.text[:4]) == 0:
                self._unexpected("a whole number of 1 or more")
            if len(token.text) > 3 or int(token.text) > LIMITS.exponent:
                self._fail(f"the power {token.text[:20]} is above {LIMITS.exponent}")
            base = found
            for _ in range(int(token.text) - 1):
                found = self._joined(found, self._products(found, base))
        return found

    def _factor(self) -> _Terms:
        if self._take("("):
            found = self._sum()
            self._expect(")")
            return found
        if self._take("{"):
            node = self._comparison()
            self._expect("}")
        elif self._intercept() is not None:
            self._fail("0 and 1 may only be added or subtracted outside of parentheses")
        else:
            node = self._name_or_call()
        if not names_in(node):
            self._fail(f"{shortened(str(node))!r} names no column")
        return {frozenset({label(node)}): (node,)}

    def _products(self, left: _Terms, right: _Terms) -> _Terms:
        if len(left) * len(right) > 50 * LIMITS.terms:
            self._fail(_TOO_MANY)
        found: _Terms = {}
        for one in left.values():
            for other in right.values():
                term = _merged((one, other))
                if len(term) > LIMITS.factors:
                    self._fail(f"it has an interaction of more than {LIMITS.factors} columns")
                found.setdefault(frozenset(map(label, term)), term)
        return found

    # Inside of functions and braces: arithmetic.

    def _name_or_call(self) -> Node:
        token = self._next("name", "quoted")
        if token is None:
            self._unexpected("a column or a function")
        if token.kind == "name" and self._take("("):
            return self._call(token.text)
        return ColumnName(token.text, token.kind == "quoted")

    def _call(self, function: str) -> Node:
        if function not in FUNCTIONS:
            self._fail(
                f"it calls {function}(), which is not allowed; use columns, arithmetic and "
                f"{', '.join(FUNCTIONS)}"
            )
        self._deeper()
        first = self._comparison()
        arguments = FUNCTIONS[function]
        settings: dict[str, Constant | Listing] = {}
        positional = 0
        while self._take(","):
            name = self._setting_name() or ""
            if not name and positional == len(settings) < len(arguments):
                name, positional = list(arguments)[positional], positional + 1
            if name not in arguments or name in settings:
                told = f"takes {', '.join(arguments)}" if arguments else "takes one argument"
                self._fail(f"{function}() {told}{f', not {name} here' if name else ''}")
            settings[name] = self._setting(f"{name} of {function}()", arguments[name])
        self._expect(")")
        self.depth -= 1
        return FunctionCall(function, first, tuple(settings.items()), positional)

    def _setting_name(self) -> str | None:
        following = self.tokens[self.place : self.place + 2]
        if [token.kind for token in following] == ["name", "sign"] and following[1].text == "=":
            self.place += 2
            return following[0].text
        return None

    def _setting(self, where: str, argument: Argument) -> Constant | Listing:
        if argument.kind in ("numbers", "levels"):
            found: Constant | Listing = self._listing()
        else:
            found = self._constant()
        if why := misfit(found, argument):
            self._fail(f"{where} must be {why}, not {shortened(str(found))}")
        return found

    def _listing(self) -> Listing:
        closing = "]"
        if not self._take("["):
            token = self._next("name")
            if token is None or token.text != "c" or not self._take("("):
                self._unexpected("a list such as ['a', 'b']")
            closing = ")"
        items = [self._constant()]
        while self._take(","):
            items.append(self._constant())
        self._expect(closing)
        return Listing(tuple(items))

    def _constant(self) -> Constant:
        sign = -1 if self._take("+", "-") == "-" else 1
        if (token := self._next("number")) is not None:
            return Constant(sign * self._number(token.text))
        if (token := self._next("string")) is not None:
            return Constant(token.text)
        if (token := self._next("name")) is not None and token.text in _CONSTANTS:
            return Constant(_CONSTANTS[token.text])
        self._unexpected("a number, a text in quotes, True or False")

    def _number(self, text: str) -> int | float:
        if len(text) > 30 or not isfinite(float(text)):
            self._fail(f"the number {shortened(text)} is too large")
        return int(text) if text.isdigit() else float(text)

    def _comparison(self) -> Node:
        found = self._chain(("+", "-"), self._product)
        if sign := self._take(*_COMPARISONS):
            found = Arithmetic((sign,), (found, self._chain(("+", "-"), self._product)))
        return found

    def _product(self) -> Node:
        return self._chain(("*", "/"), self._signed)

    def _chain(self, signs: Sequence[str], read: Callable[[], Node]) -> Node:
        operators, operands = [], [read()]
        while sign := self._take(*signs):
            operators.append(sign)
            operands.append(read())
        return Arithmetic(tuple(operators), tuple(operands)) if operators else operands[0]

    def _signed(self) -> Node:
        if sign := self._take("+", "-"):
            self._deeper()
            found = Arithmetic((sign,), (self._signed(),))
            self.depth -= 1
            return found
        base = self._primary()
        if not self._take("^", "**"):
            return base
        self._deeper()
        found = Arithmetic(("**",), (base, self._signed()))
        self.depth -= 1
        return found

    def _primary(self) -> Node:
        if self._take("("):
            self._deeper()
            found = self._comparison()
            self._expect(")")
            self.depth -= 1
            return found
        if (token := self._next("number")) is not None:
            return Constant(self._number(token.text))
        if (token := self._next("string")) is not None:
            return Constant(token.text)
        return self._name_or_call()


def _without(terms: _Terms, removed: _Terms) -> _Terms:
    return {key: term for key, term in terms.items() if key not in removed}


def _merged(terms: Iterable[Term]) -> Term:
    """Return the factors of several terms, each once."""
    return tuple({label(factor): factor for term in terms for factor in term}.values())
