"""Asking a server: within its limits, again where that helps, and nowhere it leads astray."""

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise

import pytest

from genotex.errors import (
    AddressRefusedError,
    CaptchaError,
    FetchError,
    NotThereError,
    ServerUnavailableError,
    TooLargeError,
    UsageError,
    WebPageError,
    WrongContentError,
)
from genotex.fetch import (
    AllowedAddresses,
    ClientLimits,
    Entrez,
    Pace,
    WebClient,
    base_address,
    read_key,
)
from genotex.fetch.client_limits import shown

from .conftest import QUICK
from .eutils import BASE, Eutils, Record
from .server import Reply, Site, captcha, cut_at, dripping, failing, redirect, serving, slow_head


def test_request_ends_although_attempts_are_left(
    site: Site, client_of: Callable[..., WebClient], waits: list[float]
) -> None:
    site.always("/a", slow_head(0.02))
    client = client_of(site, limits=ClientLimits(answer=0.1, overall=0.15, attempts=50))
    with pytest.raises(ServerUnavailableError, match="asked"):
        client.text(site.url("/a"))
    assert len(waits) < 10


def test_redirects_are_followed_on_the_same_server(site: Site, client: WebClient) -> None:
    site.put("/b", b"here")
    site.put("/a", b"")
    site.always("/a", redirect("b", 301))
    assert client.text(site.url("/a")) == b"here"


def test_five_redirects_and_no_more(site: Site, client: WebClient) -> None:
    for number in range(7):
        site.put(f"/{number}", b"end")
        site.always(f"/{number}", redirect(f"/{number + 1}"))
    site.mend("/5")
    assert client.text(site.url("/0")) == b"end"
    site.always("/5", redirect("/6"))
    with pytest.raises(AddressRefusedError, match="more than 5 redirects"):
        client.text(site.url("/0"))


@pytest.mark.parametrize("location", ["http://[::1", "//[", "http://127.0.0.1:abc/", "//a:99999/"])
def test_a_redirect_to_what_is_no_address(site: Site, client: WebClient, location: str) -> None:
    site.put("/a", b"")
    site.always("/a", redirect(location))
    with pytest.raises(AddressRefusedError, match="a redirect to an invalid address"):
        client.text(site.url("/a"))


@pytest.mark.parametrize(
    "address",
    [
        *("http://h:99999", "http://h:port/", "http://[::1", "https://", "ftp://h/"),
        *("https://h/?a=1", "https://h/#a", "https://h/a b/", "h/a"),
    ],
)
def test_what_is_no_base_address_is_told(address: str) -> None:
    with pytest.raises(UsageError, match="is not a base address; write https://SERVER/"):
        base_address(address)


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "what://a", "http://[::1"])
def test_a_proxy_of_the_environment_that_cannot_be_used_is_told(
    site: Site, client: WebClient, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    with pytest.raises(UsageError, match=r"check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY"):
        client.text(site.url("/a"))


def test_a_cookie_is_not_sent_back(site: Site, client: WebClient) -> None:
    site.put("/a", b"first", **{"Set-Cookie": "session=1; Path=/"})
    client.text(site.url("/a"))
    client.text(site.url("/a"))
    assert all("cookie" not in each.asked.headers for each in site.served)


def test_compression_on_the_way_is_not_asked_for_and_not_unpacked(
    site: Site, client: WebClient
) -> None:
    site.put("/a", b"\x1f\x8b bomb", **{"Content-Encoding": "gzip"})
    with pytest.raises(WrongContentError, match="came compressed, which was not requested"):
        client.text(site.url("/a"))
    assert site.served[0].asked.headers["accept-encoding"] == "identity"


def test_a_form_follows_no_redirect(site: Site, client: WebClient) -> None:
    site.put("/a", b"")
    site.always("/a", redirect("/b", 307))
    with pytest.raises(AddressRefusedError, match="in answer to a form"):
        client.text(site.url("/a"), form={"api_key": "secret"})
    assert site.times("/b") == 0


def test_an_answer_that_is_too_long_is_stopped(site: Site, client: WebClient) -> None:
    site.put("/a", b"x" * 100_000)
    with pytest.raises(TooLargeError, match="longer than 50,000 bytes"):
        client.text(site.url("/a"), most=50_000)


def test_an_answer_by_drops_is_given_up(site: Site, client_of: Callable[..., WebClient]) -> None:
    site.put("/a", b"x" * 10_000)
    site.always("/a", dripping(0.01, 10))
    client = client_of(site, limits=ClientLimits(answer=0.1, attempts=2))
    with pytest.raises(FetchError, match=r"no complete answer within 0.1 s; asked 2 times"):
        client.text(site.url("/a"))


def test_a_server_that_says_nothing_is_given_up(
    site: Site, client_of: Callable[..., WebClient]
) -> None:
    site.put("/a", b"x" * 10)
    site.always("/a", dripping(5.0))
    client = client_of(site, limits=ClientLimits(read=0.1, attempts=2))
    with pytest.raises(FetchError, match="nothing came within the time limit; asked 2 times"):
        client.text(site.url("/a"))


def test_headers_letter_by_letter_are_given_up(
    site: Site, client_of: Callable[..., WebClient]
) -> None:
    site.put("/a", b"text")
    site.fault("/a", slow_head(0.01))
    client = client_of(site, limits=ClientLimits(read=5.0, answer=0.3))
    assert client.text(site.url("/a")) == b"text"
    assert site.times("/a") == 2


def test_a_server_that_is_not_there(
    client_of: Callable[..., WebClient], waits: list[float]
) -> None:
    with serving() as site:
        address = site.url("/a")
        client = client_of(site)
    with pytest.raises(FetchError, match=r"the connection failed or was cut.*asked 6 times"):
        client.text(address)
    assert len(waits) == 5 and sum(waits) <= 1 + 2 + 4 + 8 + 16


def test_a_pause_is_told_with_its_reason_and_without_a_key(site: Site) -> None:
    told: list[tuple[str, float]] = []
    site.put("/a", b"here")
    site.fault("/a", failing(503, Retry_After="7"))
    with WebClient(
        [site.address],
        limits=QUICK,
        waiting=lambda why, seconds: told.append((why, seconds)),
        sleep=lambda seconds: None,
    ) as client:
        assert client.text(site.url("/a?api_key=0a1b")) == b"here"
    assert told == [(f"{site.url('/a')}: the server answers 503 (Service Unavailable)", 7.0)]


def test_a_text_that_was_cut_is_asked_for_again(site: Site, client: WebClient) -> None:
    site.put("/a", b"whole text")
    site.fault("/a", cut_at(0.5), failing(503))
    assert client.text(site.url("/a")) == b"whole text"


def test_a_page_in_place_of_an_answer(site: Site, client: WebClient) -> None:
    site.put("/a", b"<!DOCTYPE html><title>Down for \x1b[31mrepair</title>")
    with pytest.raises(WebPageError, match="a web page came") as error:
        client.text(site.url("/a"))
    assert "\x1b" not in str(error.value)
    assert client.text(site.url("/a"), page=True).startswith(b"<!DOCTYPE")
    site.always("/a", captcha())
    with pytest.raises(CaptchaError):
        client.text(site.url("/a"), page=True)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://example.org/a", "only https is followed"),
        ("file:///etc/passwd", "not the address of a server"),
        ("https://user:word@example.org/", "a user name or a password"),
        ("https://10.0.0.1/a", "private address"),
        ("https://169.254.169.254/latest", "private address"),
        ("https://[::1]/a", "private address"),
        ("https://[::ffff:127.0.0.1]/a", "private address"),
        ("https://[64:ff9b::a00:1]/a", "private address"),
        ("https://[2002:a00:1::]/a", "private address"),
        ("https://[fe80::1%lo]/a", "private address"),
        ("https://localhost/a", "private address"),
    ],
)
def test_an_address_that_nobody_named_must_be_public(
    client: WebClient, address: str, message: str
) -> None:
    with pytest.raises(AddressRefusedError, match=message) as error:
        client.text(address)
    assert "word@" not in str(error.value)


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("https://10.0.0.1/a", "this leads to a private address"),
        ("//[::1]:8080/a", "this leads to a private address"),
        ("http://8.8.8.8/a", "another scheme"),
        ("", "without a target"),
    ],
)
def test_a_redirect_from_a_public_server_stays_public(location: str, message: str) -> None:
    allowed = AllowedAddresses(["https://example.org/"])
    with pytest.raises(AddressRefusedError, match=message):
        allowed.after_redirect("https://example.org/a?api_key=secret", location)
    there = allowed.after_redirect("https://example.org/a?api_key=secret", "https://8.8.8.8/b")
    assert there == "https://8.8.8.8/b"
    for public in ("[2606:4700::1]", "[::ffff:8.8.8.8]", "[64:ff9b::808:808]"):
        allowed.check(f"https://{public}/")


def test_ncbi_is_asked_three_times_a_second_and_ten_with_a_key() -> None:
    for per_second in (3.0, 10.0):
        now = [0.0]
        begun: list[float] = []

        def pass_by(seconds: float, now: list[float] = now) -> None:
            now[0] += seconds

        def clock(now: list[float] = now) -> float:
            return now[0]

        pace = Pace(ClientLimits(ncbi_per_second=per_second), clock, pass_by)
        servers = ("eutils.ncbi.nlm.nih.gov", "ftp.ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov")
        for number in range(30):
            pace.wait(f"https://{servers[number % 3]}/a")
            begun.append(now[0])
        gaps = [later - before for before, later in pairwise(begun)]
        assert min(gaps) >= 0.999 / per_second


def test_a_key_counts_for_the_eutilities_alone() -> None:
    limits = ClientLimits(ncbi_per_second=10.0)
    assert limits.per_second_of("eutils.ncbi.nlm.nih.gov") == 10.0
    for host in ("www.ncbi.nlm.nih.gov", "ftp.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov"):
        assert limits.per_second_of(host) == 3.0


def test_what_opens_something_is_not_shown() -> None:
    link = (
        "https://me:secret@store.example/a?file=b.gz&X-Amz-Signature=s1&X-Amz-Credential=s2"
        "&AWSAccessKeyId=s3&sig=s4&api_key=s5&access_token=s6&type=design&acc=GSE1#s7"
    )
    assert shown(link) == "https://store.example/a?file=b.gz&type=design&acc=GSE1"


def test_other_servers_do_not_wait_for_ncbi() -> None:
    waited: list[float] = []
    pace = Pace(ClientLimits(), lambda: 0.0, waited.append)
    pace.wait("https://www.ncbi.nlm.nih.gov/")
    pace.wait("https://example.org/")
    pace.wait("http://127.0.0.1:1/")
    pace.wait("http://127.0.0.1:1/")
    assert waited == []


def test_entrez_with_a_line_end_inside_a_text(site: Site, client: WebClient) -> None:
    site.speak(Eutils(Record("GSE1")))
    body = b'{"result": {"1": {"summary": "two\nlines"}}}'
    site.always(f"{BASE}esummary.fcgi", lambda reply: Reply(body))
    (summary,) = Entrez(client, site.url(BASE)).summaries(["1"])
    assert summary["summary"] == "two\nlines"


def test_entrez_gives_ids_in_its_own_order_and_summaries_in_that_of_the_ids(
    site: Site, client: WebClient
) -> None:
    records = [Record(f"GSE{n}") for n in (7, 3, 5)]
    site.speak(Eutils(*records))
    entrez = Entrez(client, site.url(BASE))
    found = entrez.search("(GSE7[GEO Accession] OR GSE3[GEO Accession])", 20)
    assert (found.count, found.ids) == (2, ("200000007", "200000003"))
    ids = ["200000005", "200000007"]
    assert [each["accession"] for each in entrez.summaries(ids)] == ["GSE5", "GSE7"]


@pytest.mark.parametrize(
    "answer",
    [
        b"not JSON",
        b"[]",
        b'{"error": "Database is down"}',
        b'{"esearchresult": {"ERROR": "Invalid db name specified: gdz"}}',
        b'{"esearchresult": {"count": "x", "idlist": []}}',
        b'{"esearchresult": {"count": "1", "idlist": ["../../1"]}}',
        b'{"esearchresult": {"count": "1", "idlist": 7}}',
        b'{"esearchresult": {"count": "1", "idlist": null}}',
    ],
)
def test_entrez_that_answers_nonsense(site: Site, client: WebClient, answer: bytes) -> None:
    site.speak(Eutils())
    site.always(f"{BASE}esearch.fcgi", lambda reply: Reply(answer))
    with pytest.raises(WrongContentError):
        Entrez(client, site.url(BASE)).search("a", 20)


TROUBLE = (
    b'{"esearchresult": {"ERROR": "Search Backend failed: read request has timed out."}}',
    b'{"error": "API rate limit exceeded", "api-key": "0a1b", "count": "11", "limit": "10"}',
)


@pytest.mark.parametrize("answer", TROUBLE)
def test_entrez_that_is_in_trouble_for_a_moment_is_asked_again(
    site: Site, client: WebClient, answer: bytes
) -> None:
    site.speak(Eutils(Record("GSE7")))
    site.fault(f"{BASE}esearch.fcgi", *[lambda reply: Reply(answer)] * 2)
    found = Entrez(client, site.url(BASE)).search("GSE7[GEO Accession]", 20)
    assert found.ids == ("200000007",) and site.times(f"{BASE}esearch.fcgi") == 3


@pytest.mark.parametrize("answer", TROUBLE)
def test_entrez_that_stays_in_trouble_says_which(
    site: Site, client: WebClient, answer: bytes
) -> None:
    site.speak(Eutils())
    site.always(f"{BASE}esearch.fcgi", lambda reply: Reply(answer))
    with pytest.raises(
        ServerUnavailableError, match=r"Entrez reports '(Search|API).*6 times"
    ) as end:
        Entrez(client, site.url(BASE), key="0a1b").search("a", 20)
    assert "0a1b" not in str(end.value)


@pytest.mark.parametrize("errors", [7, [], {"phrasesnotfound": 7}, {"phrasesnotfound": [7, None]}])
def test_entrez_with_an_odd_list_of_errors(site: Site, client: WebClient, errors: object) -> None:
    site.speak(Eutils())
    body = {"esearchresult": {"count": "1", "idlist": ["1"], "errorlist": errors}}
    site.always(f"{BASE}esearch.fcgi", lambda reply: Reply(json.dumps(body).encode()))
    assert Entrez(client, site.url(BASE)).search("a", 20).ids == ("1",)


def test_entrez_lacks_one_summary_of_two(site: Site, client: WebClient) -> None:
    site.speak(Eutils())
    told = {"1": {"uid": "1", "error": "cannot get document summary"}, "2": {"uid": "2"}}
    body = json.dumps({"result": {"uids": ["1", "2"], **told}}).encode()
    site.always(f"{BASE}esummary.fcgi", lambda reply: Reply(body))
    assert list(Entrez(client, site.url(BASE)).summaries(["1", "2"])) == [{"uid": "2"}]


@pytest.mark.parametrize("result", [{}, {"1": "x"}, {"1": {"error": "cannot get summary"}}, 7])
def test_entrez_without_a_summary(site: Site, client: WebClient, result: object) -> None:
    site.speak(Eutils())
    body = json.dumps({"result": result}).encode()
    site.always(f"{BASE}esummary.fcgi", lambda reply: Reply(body))
    with pytest.raises(WrongContentError):
        list(Entrez(client, site.url(BASE)).summaries(["1"]))


def test_a_wrong_key_is_told_without_the_key(site: Site, client: WebClient) -> None:
    site.speak(Eutils())
    entrez = Entrez(client, site.url(BASE), key="bad0123456789")
    with pytest.raises(NotThereError, match="check NCBI_API_KEY") as error:
        entrez.search("a", 20)
    assert "bad0123456789" not in str(error.value)


def test_key_comes_from_the_environment_alone() -> None:
    assert read_key({}) is None
    assert read_key({"NCBI_API_KEY": " 0a1b "}) == "0a1b"
    with pytest.raises(UsageError, match="cannot be a key") as error:
        read_key({"NCBI_API_KEY": "0a1b\nX-Header: 1"})
    assert "0a1b" not in str(error.value)


def test_the_command_line_starts_without_the_web_client() -> None:
    commands = "genotex.cli.data.fetch, genotex.cli.benchmark.problems"
    code = f"import sys, {commands}; print('httpx2' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert run.stdout.split() == [b"False"]


def test_limits_of_the_tests_are_those_of_the_program_but_for_time() -> None:
    assert (QUICK.attempts, QUICK.longest_wait) == (
        ClientLimits().attempts,
        ClientLimits().longest_wait,
    )
