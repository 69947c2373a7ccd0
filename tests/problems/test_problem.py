"""Problems, lists of them in a file, and samples of these."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.errors import FormatError, UsageError
from genotex.problems import Problem, ProblemKind, read_problems, sample_problems, write_problems


@pytest.mark.parametrize(
    ("condition", "kind", "words"),
    [
        (None, ProblemKind.UNCONDITIONAL, "Crohns_Disease"),
        ("Age", ProblemKind.ONE_STEP, "Crohns_Disease given Age"),
        ("Gender", ProblemKind.ONE_STEP, "Crohns_Disease given Gender"),
        ("Type 2 Diabetes", ProblemKind.TWO_STEP, "Crohns_Disease given Type_2_Diabetes"),
    ],
)
def test_kind_follows_from_the_condition(
    condition: str | None, kind: ProblemKind, words: str
) -> None:
    problem = Problem("Crohn's Disease", condition)
    assert problem.kind is kind
    assert str(problem) == words
    assert problem.traits == tuple(words.split(" given ")[: 1 + (kind is ProblemKind.TWO_STEP)])


@pytest.mark.parametrize(
    ("trait", "condition"), [("Age", None), ("Asthma", "Asthma"), ("../x", None), ("Asthma", "")]
)
def test_names_that_make_no_problem(trait: str, condition: str | None) -> None:
    with pytest.raises(UsageError):
        Problem(trait, condition)


ASTHMA = (Problem("Asthma"), Problem("Asthma", "Age"), Problem("Asthma", "Obesity"))


def written(folder: Path, content: object) -> Path:
    path = folder / "problems"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


@pytest.mark.parametrize("name", ["problems.json", "problems.csv", "deep/problems.CSV"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    problems = (*ASTHMA, Problem("Sjögren's Syndrome", "Gender"))
    write_problems(tmp_path / name, problems)
    assert read_problems(tmp_path / name) == problems
    assert not list(tmp_path.rglob("*.part"))


def test_json_and_csv_as_they_stand_in_the_file(tmp_path: Path) -> None:
    write_problems(tmp_path / "p.json", ASTHMA[:2])
    assert (tmp_path / "p.json").read_text() == (
        '[\n  {"trait": "Asthma", "condition": null},\n'
        '  {"trait": "Asthma", "condition": "Age"}\n]\n'
    )
    write_problems(tmp_path / "p.csv", ASTHMA[:2])
    assert (tmp_path / "p.csv").read_text() == "trait,condition\nAsthma,\nAsthma,Age\n"


def test_names_as_people_write_them(tmp_path: Path) -> None:
    rows = [{"trait": "Crohn's Disease", "condition": "none"}, {"trait": "Asthma", "condition": ""}]
    rows += [{"trait": "Asthma", "condition": "sex"}, {"trait": "Asthma", "condition": "Bone Loss"}]
    assert read_problems(written(tmp_path, rows)) == (
        Problem("Crohns_Disease"),
        Problem("Asthma"),
        Problem("Asthma", "Gender"),
        Problem("Asthma", "Bone_Loss"),
    )


def test_csv_of_a_spreadsheet(tmp_path: Path) -> None:
    text = '\ufeffnumber, condition ,trait\r\n1,None,Asthma\r\n2,AGE,"Crohn\'s, Disease"\r\n\r\n'
    assert read_problems(written(tmp_path, text)) == (
        Problem("Asthma"),
        Problem("Crohns,_Disease", "Age"),
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("<html>", "web page"),
        ([], "no problem"),
        ("trait,condition\n", "no problem"),
        ("[1,\n", "line 2: not valid JSON"),
        ({"trait": "Asthma", "condition": None}, "one object where a list"),
        (["Asthma"], 'problem 1: is "Asthma", not an object'),
        ([{"trait": "Asthma"}], "problem 1: has no condition"),
        ([{"condition": "Age"}], "problem 1: has no trait"),
        ([{"trait": 5, "condition": None}], "its trait is 5"),
        ([{"trait": "Asthma", "condition": True}], "its condition is true"),
        ([{"trait": "", "condition": None}], "cannot be a trait name"),
        ([{"trait": "Age", "condition": None}], "is a covariate"),
        ([{"trait": "A b", "condition": "A_b"}], "its own condition"),
        ([{"trait": "A b", "condition": None}, {"trait": "A_b", "condition": ""}], "at problem 1"),
        ("trait\nAsthma\n", "line 1: has no column condition"),
        ("trait,condition\nAsthma\n", "line 2: does not have 2 cells"),
        ("trait,condition\nAsthma,Age,Gender\n", "line 2: does not have 2 cells"),
        ('trait,condition\n"Asthma,Age\n', "is not CSV"),
        ("trait,condition\nAsthma,\nAsthma,Asthma\n", "line 3: Asthma cannot be"),
    ],
)
def test_malformed_list_names_the_place(tmp_path: Path, content: object, words: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(FormatError, match="problems") as caught:
        read_problems(path)
    assert words in str(caught.value)


@settings(deadline=None)
@given(st.text(max_size=80) | st.lists(st.text(max_size=9)).map(",".join))
def test_whatever_the_text_only_our_errors_come_out(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(("trait,condition\n" + text).encode("utf-8", "surrogatepass"))
    try:
        problems = read_problems(path)
    except FormatError:
        return
    assert problems and len(set(problems)) == len(problems)


def many(unconditional: int, one_step: int, two_step: int) -> list[Problem]:
    return [
        *(Problem(f"T{i}") for i in range(unconditional)),
        *(Problem(f"T{i}", "Age") for i in range(one_step)),
        *(Problem(f"T{i}", "Obesity") for i in range(two_step)),
    ]


def kinds(problems: tuple[Problem, ...]) -> Counter[ProblemKind]:
    return Counter(problem.kind for problem in problems)


def test_sample_is_in_proportion_to_the_kinds() -> None:
    # One of each kind first; the other 10 in proportion to 9, 19 and 69 of 97: quotas 0.93, 1.96
    # and 7.11, so 0, 1 and 7, and the two largest remainders get one more.
    found = kinds(sample_problems(many(10, 20, 70), 13, seed=1))
    assert found == {ProblemKind.UNCONDITIONAL: 2, ProblemKind.ONE_STEP: 3, ProblemKind.TWO_STEP: 8}


def test_sample_keeps_the_order_of_the_list_and_follows_the_seed() -> None:
    problems = many(20, 30, 90)
    drawn = sample_problems(problems, 12, seed=7)
    assert sorted(drawn, key=problems.index) == list(drawn)
    assert sample_problems(problems, 12, seed=7) == drawn
    assert sample_problems(problems, 12, seed=8) != drawn


@settings(deadline=None)
@given(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40)).filter(any), st.data())
def test_any_sample_has_its_size_and_every_kind(
    sizes: tuple[int, int, int], data: st.DataObject
) -> None:
    problems = many(*sizes)
    n = data.draw(st.integers(1, len(problems)))
    drawn = sample_problems(problems, n, seed=data.draw(st.integers(0, 99)))
    assert len(set(drawn)) == n and set(drawn) <= set(problems)
    if n >= 3:
        assert len(kinds(drawn)) == sum(size > 0 for size in sizes)


@pytest.mark.parametrize("n", [0, -1, 4])
def test_sample_that_cannot_be_drawn(n: int) -> None:
    with pytest.raises(UsageError, match="of 3 problems; ask for 1 to 3"):
        sample_problems(ASTHMA, n, seed=1)
