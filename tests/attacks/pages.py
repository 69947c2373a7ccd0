"""Attempts on the workbench: who sends what, and the answers that are allowed.

Each attempt is one line with a name; `test_pages.py` sends them all. To add one, add a line. Those
by route come from the routes of the application: a new page is attacked without a line.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from starlette.routing import Route

from genotex.app import Access, create_app

PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"
OTHER_PORT = f"http://127.0.0.1:{PORT + 1}"
EVIL = "http://evil.example"
FOLDER_OF_PAGES = "{folder}"
"""In a text: the folder that the workbench has open."""


@dataclass(frozen=True)
class Sender:
    """Who sends a request; everything that is not stated is as a page of the workbench sends it."""

    name: str
    headers: dict[str, str] = field(default_factory=dict)
    cookie: str = "{session}"
    token: str = "{token}"
    origin: str | None = ORIGIN
    changes_only: bool = False


SENDERS = (
    Sender("a page of another site", {"Sec-Fetch-Site": "cross-site"}, origin=EVIL),
    Sender("an image on another site", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}),
    Sender("a page of another port", {"Sec-Fetch-Site": "same-site"}, origin=OTHER_PORT),
    Sender("an image on another port", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "image"}),
    Sender("another site in an old browser", {"Origin": EVIL}),
    Sender("another port in an old browser", {"Origin": OTHER_PORT}),
    Sender("a file or a frame without origin", {"Origin": "null"}),
    Sender("nobody who signed in", cookie=""),
    Sender("a forged cookie", cookie=f"genotex_{PORT}=guess"),
    Sender("the cookie of another port", cookie=f"genotex_{PORT + 1}={{value}}"),
    Sender("a name that leads here", {"Host": f"evil.example:{PORT}"}),
    Sender("no origin", origin=None, changes_only=True),
    Sender("a typed address", {"Sec-Fetch-Site": "none"}, changes_only=True),
    Sender("a page without token", token="", changes_only=True),
    Sender("a page of an earlier start", token="earlier", changes_only=True),
    Sender("a page with the cookie as token", token="{value}", changes_only=True),
)
OPEN_TO_ALL = {"/health", "/sign-in"}
OPEN_TO_STRANGERS = {"/static/report.css", "/static/app.css"}
ABOUT_THE_COOKIE = {"nobody who signed in", "a forged cookie", "the cookie of another port"}
COMPUTING = {"/analysis/design", "/tables/design", "/quality/before", "/quality/read"}
"""What an address alone must not start."""


def routes() -> list[tuple[str, str]]:
    """Return method and path of every route of the application."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Path(folder), Access(PORT))
    found = [(method, route.path) for route in app.routes if isinstance(route, Route)
             for method in sorted(route.methods or ())]  # fmt: skip
    return [*found, ("GET", "/static/app.js"), ("GET", "/static/app.css"), ("GET", "/nothing")]


ROUTES = routes()


def by_route() -> Iterator[tuple[str, str, Sender]]:
    """Give every route with every sender that must be refused."""
    for method, path in ROUTES:
        safe = method != "POST"
        for sender in SENDERS:
            foreign_host = "Host" in sender.headers
            open_to_it = path in OPEN_TO_ALL and not foreign_host
            by_stranger = path in OPEN_TO_STRANGERS and sender.name in ABOUT_THE_COOKIE
            if not open_to_it and not by_stranger and not (safe and sender.changes_only):
                yield method, path, sender


@dataclass(frozen=True)
class SignIn:
    """A way to sign in that must not work: fields of the form, and headers besides the origin."""

    name: str
    fields: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    origin: str | None = ORIGIN
    method: str = "POST"
    path: str = "/sign-in"


SIGN_INS = (
    SignIn("nothing"),
    SignIn("an empty code", {"code": ""}),
    SignIn("a guess", {"code": "0000-0000-0000"}),
    SignIn("a code that was used", {"code": "{used}"}),
    SignIn("a code before the newest", {"code": "{void}"}),
    SignIn("most of the code", {"code": "{most}"}),
    SignIn("the code and more", {"code": "{code}0"}),
    SignIn("the digest of the code", {"code": "{digest}"}),
    SignIn("the code as token of the file", {"token": "{code}"}),
    SignIn("the token of the file as code", {"code": "{file}"}),
    SignIn("a token of the file that was used", {"token": "{spent}"}, origin="null"),
    SignIn("an empty token of the file", {"token": ""}, origin="null"),
    SignIn("a guessed token of the file", {"token": "guess"}, origin="null"),
    SignIn("the change token as code", {"code": "{token}"}),
    SignIn("the change token as that of the file", {"token": "{token}"}, origin="null"),
    SignIn("the session as code", {"code": "{value}"}),
    SignIn("the right code from a file", {"code": "{code}"}, origin="null"),
    SignIn("the right code from another site", {"code": "{code}"}, origin=EVIL),
    SignIn("the right code from another port", {"code": "{code}"}, origin=OTHER_PORT),
    SignIn("the right code over TLS", {"code": "{code}"}, origin=ORIGIN.replace("http", "https")),
    SignIn("the right code without origin", {"code": "{code}"}, origin=None),
    SignIn("the right code from a site that states our origin", {"code": "{code}"},
           {"Sec-Fetch-Site": "cross-site"}),
    SignIn("the right code from a port that states our origin", {"code": "{code}"},
           {"Sec-Fetch-Site": "same-site"}),
    SignIn("the right code as if typed", {"code": "{code}"}, {"Sec-Fetch-Site": "none"}),
    SignIn("the file from another site", {"token": "{file}"}, origin=EVIL),
    SignIn("the file from another port", {"token": "{file}"}, origin=OTHER_PORT),
    SignIn("the file without origin", {"token": "{file}"}, origin=None),
    SignIn("the right code under a foreign name", {"code": "{code}"},
           {"Host": f"evil.example:{PORT}"}, f"http://evil.example:{PORT}"),
    SignIn("the right code in an address", path="/sign-in?code={code}", method="GET"),
    SignIn("the right code in the address of a form", path="/sign-in?code={code}"),
    SignIn("the token of the file in an address", path="/?token={file}", method="GET"),
    SignIn("the right code by PUT", {"code": "{code}"}, method="PUT"),
    SignIn("the right code to another page", {"code": "{code}"}, path="/"),
    SignIn("the right code as JSON", {"{json}": ""}, {"Content-Type": "application/json"}),
    SignIn("a code of a million letters", {"code": "A" * 1_000_000}),
    SignIn("a code of 1,100 letters", {"code": "A" * 1100}),
    SignIn("a code that is no text", {"code": "\x00\ufffd\u202e"}),
    SignIn("a form of 1,100 fields", {f"code{i}": "x" for i in range(1100)}),
    SignIn("the code in a header", headers={"X-Token": "{code}", "Authorization": "Bearer {code}"}),
    SignIn("the code in a cookie", headers={"Cookie": f"genotex_{PORT}={{code}}"}, path="/"),
)  # fmt: skip

HOSTS = (
    "evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1:{PORT + 1}",
    f"127.0.0.1.evil.example:{PORT}", f"localhost.evil.example:{PORT}", f"evillocalhost:{PORT}",
    f"0.0.0.0:{PORT}", f"192.168.1.7:{PORT}", f"[::]:{PORT}", f"127.0.0.1:{PORT}:{PORT}", "", ":",
    f"127.0.0.1:{PORT}@evil.example", f"127.0.0.1:0{PORT}",
)  # fmt: skip

PLACES = (
    "..", "../results", "/etc", "//etc", "results/..", "results/../results", "./results",
    "analyses/../results", "%2e%2e/results", "..%2fresults", "..\\results", "results\x00",
    "linked", "results/linked", "~", "$HOME", ".", "\N{FULLWIDTH FULL STOP}" * 2,
    "<img src=x onerror=alert(1)>", "{folder}/results",
)  # fmt: skip
"""Values of parameters that name something; only those of the folder are found."""
NAMED = {
    "/genes": "output", "/genes.csv": "trait", "/gene": "condition", "/report": "trait",
    "/methods": "output", "/script": "output", "/sets": "output", "/set": "trait",
    "/cohorts/table": "output", "/compare/table": "with", "/quality": "cohort",
    "/genes.h5ad": "output", "/cohort.h5ad": "cohort", "/samples": "series",
    "/samples.csv": "trait", "/tables": "name", "/survival": "output", "/run": "run",
    "/run/notebook": "notebook", "/scores": "of", "/scores/page": "of", "/atlas": "atlas",
    "/atlas/gene": "atlas", "/analysis/about": "name",
}  # fmt: skip
FILES = (
    "/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py",
    "/static/..\\server.py", "/static//etc/passwd", "//etc/passwd", "/../../etc/passwd",
    "/static/%00app.js", "/.workbench.json", "/results/report", "/static/__init__.py", "/static/",
)  # fmt: skip

FORMULAS = {
    "a command": "~ group + {__import__('os').system('touch {mark}')}",
    "a command in a call": "~ group + C(group, __import__('os').system('touch {mark}'))",
    "a command by the class tree": "~ ().__class__.__base__.__subclasses__()",
    "a command in back quotes": "~ group + `touch {mark}`",
    "a file that is opened": "~ group + open('{mark}', 'w')",
    "an attribute": "~ group + group.to_frame.__globals__",
    "a lambda": "~ group + (lambda: 1)()",
    "a bound name": "~ group + (x := 1)",
    "a Python expression and a level": "{age} | group",
    "braces alone": "{}",
    "a power tower": "~ group + {9**9**9**9}",
    "a power of a column": "~ group + I(age**9**9**9)",
    "a spline of a million knots": "~ bs(age, 1000000)",
    "a polynomial of a huge degree": "~ poly(age, 100000000)",
    "every interaction of everything": "~ (group + age + sex + months + died)**9",
    "two thousand parentheses": "~ " + "(" * 480 + "age" + ")" * 480,
    "a thousand terms": "~ " + " + ".join(["age"] * 150),
    "an open string": "~ group + 'x",
    "an open back quote": "~ group + `x",
    "a null byte": "~ group\x00 + age",
    "a reversed line": "~ group + \u202eage",
    "a column of the interpreter": "~ __builtins__",
    "only an operator": "~ + * / :",
    "an offset of everything": "~ offset(__import__)",
    "a text that is long": "~ " + "a" * 990,
    "markup": "~ <img src=x onerror=alert(1)>",
}
CONTRASTS = {
    "a command": "group: case - control; __import__('os').system('touch {mark}')",
    "a division by nothing": "group: (case)/0 - control",
    "a huge factor": "group: 9**9**9**9*case - control",
    "thousands of contrasts": "\n".join(["age"] * 240),
    "a path": "../../../../{mark}",
    "a null byte": "group\x00: case - control",
}

METHODS = ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "HACK")
HEADERS = {
    "two sites in one": [("Sec-Fetch-Site", "same-origin, cross-site")],
    "two hosts": [("Host", f"127.0.0.1:{PORT}"), ("Host", f"evil.example:{PORT}")],
    "two sites": [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
    "two origins": [("Origin", ORIGIN), ("Origin", EVIL)],
    "a foreign origin": [("Origin", EVIL)],
    "an origin with a path": [("Origin", f"{ORIGIN}/x")],
    "an origin in capitals": [("Origin", ORIGIN.upper())],
    "an unknown site": [("Sec-Fetch-Site", "friendly")],
    "an empty site": [("Sec-Fetch-Site", "")],
    "a site in capitals": [("Sec-Fetch-Site", "SAME-ORIGIN")],
}
"""With the cookie and the token of a page: refused all the same."""
WITHOUT_EFFECT = {
    "another method": {"X-HTTP-Method-Override": "POST", "X-HTTP-Method": "DELETE"},
    "another address": {"X-Original-URL": "/add/demo", "X-Rewrite-URL": "/add/demo"},
    "a proxy": {"X-Forwarded-Host": "evil.example", "X-Forwarded-For": "127.0.0.1",
                "X-Forwarded-Proto": "https", "Forwarded": "for=127.0.0.1;host=evil.example"},
    "a preflight": {"Access-Control-Request-Method": "POST"},
    "a range": {"Range": "bytes=0-9999999999"},
}  # fmt: skip
COOKIES = (
    f"genotex_{PORT}=\xff\xfe", f"genotex_{PORT}", "; ; =; genotex", 'a="' + "x" * 5000,
    f"genotex_{PORT}={{value}}x", f"Genotex_{PORT}={{value}}", f" genotex_{PORT} = ",
    f'genotex_{PORT}="{{value}}', f"genotex_{PORT}=guess; genotex_{PORT}=", f"genotex_{PORT}=",
)  # fmt: skip

UPLOADS = (
    "../x_series_matrix.txt", "..\\x_series_matrix.txt", "/etc/x_series_matrix.txt",
    "a/b_series_matrix.txt", ".x_series_matrix.txt", "x_series_matrix.txt.part", "x\x00.txt",
    "<img src=x>_series_matrix.txt", "x_series_matrix.txt ", "con\n_series_matrix.txt", "..", ".",
    "a" * 160 + "_series_matrix.txt", "a" * 3000, "tables.json", "\u202etxt.matrix", "=cmd().csv",
    "C:\\x.csv", "x%2f..%2fy.csv", "$(touch x).csv",
)  # fmt: skip
LONG = {
    "a path": "/" + "a" * 1200,
    "a name": "/genes?output=results&condition=&trait=" + "a" * 3000,
    "a name that no file can have": "/genes?output=results&condition=&trait=" + "a" * 900,
    "an output": "/genes?trait=x&condition=&output=" + "a" * 3000,
    "a gene": "/gene?gene=" + "A" * 3000,
    "a search": "/samples/table?search=" + "x" * 3000,
    "a series": "/samples?trait=Gout&series=" + "x" * 900,
    "a trait of series": "/samples?series=x&trait=" + "x" * 900,
    "a cohort": "/quality?output=results&trait=x&cohort=" + "x" * 3000,
    "a run": "/run?run=" + "x" * 3000,
    "a notebook": "/run/notebook?run=x&trait=y&notebook=" + "x" * 900,
    "a comparison": "/compare?with=" + "x" * 3000,
    "an atlas": "/atlas?atlas=" + "x" * 900,
    "a selection": "/genes/table?lasso=" + "1," * 9000,
    "thousands of fields": "/analysis?" + "series=x&" * 1100,
    "an address of 40 kB": "/analysis?" + "&".join(f"a{i}={'x' * 90}" for i in range(420)),
    "letters that are long in bytes": "/genes?output=results&trait=" + "%F0%9F%A7%AC" * 200,
    "half a letter": "/genes?output=results&trait=%F0%9F%A7",
    "a page number": "/genes/table?page=" + "9" * 900,
    "a version": "/samples/table?version=" + "9" * 900,
}
TOO_LONG = [name for name, path in LONG.items() if len(path) > 3000 or name == "a path"]
"""Those that are refused for their length alone."""
