"""The user's own model as annotator, through the client that calls a provider."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.annotators import (
    CASES,
    KEY,
    annotating,
    careless,
    chatting,
    contrary,
    good,
    right_about_asthma,
    write_cases,
    wrong_about_asthma,
)
from tests.cli.conftest import Run
from tests.geo_text import write_asthma

PRICE = '[price."{model}"]\ninput = 2\noutput = 10\n'


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", KEY)
    return write_cases(tmp_path / "cases.jsonl")


@pytest.fixture
def infer(genotex: Run, cases: Path) -> Callable[..., tuple[int, str, list[dict[str, Any]]]]:
    """Run `clinical infer`; gives exit code, messages and answers."""

    def run(*options: object) -> tuple[int, str, list[dict[str, Any]]]:
        answers = cases.with_name("answers.jsonl")
        code, _, err = genotex("clinical", "infer", cases, "-o", answers, *options)
        lines = answers.read_text().splitlines() if answers.exists() else []
        return code, " ".join(err.split()), [json.loads(line) for line in lines]

    return run


def test_rules_ask_nobody(infer: Any) -> None:
    with annotating(good) as model:
        code, _, answers = infer()
    assert (code, model.calls, len(answers)) == (0, 0, len(CASES))
    assert not {"by", "asked", "review"} & set(answers[0])


def test_model_decides_and_is_named_with_an_unknown_cost(infer: Any) -> None:
    with annotating(good) as model:
        code, err, answers = infer("--annotator", model.name)
    assert code == 0
    assert model.calls == len(CASES)
    assert "4 questions to" in err and "price unknown" in err
    assert "cost unknown" in err
    first = answers[0]
    assert first["by"] == first["asked"]["model"] == model.name
    assert first["trait"]["map"] == {"disease state: gout": 1, "disease state: healthy control": 0}
    assert first["asked"]["cost"] is None
    assert first["asked"]["input_tokens"] == 100


def test_same_command_again_asks_nothing_and_says_the_same(infer: Any) -> None:
    with annotating(good) as model:
        _, _, before = infer("--annotator", model.name)
        code, err, again = infer("--annotator", model.name)
    assert code == 0
    assert model.calls == len(CASES)
    assert again == before
    assert "0 questions to" in err and "4 of 4 series are answered in the record" in err


def test_key_is_sent_to_the_provider_and_nowhere_else(infer: Any, tmp_path: Path) -> None:
    with annotating(good) as model:
        _, err, _ = infer("--annotator", model.name)
        sent = [seen.content.decode() for seen in model.service.seen]
    assert all(KEY not in text for text in sent)
    assert KEY not in err
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_texts_of_the_series_are_sent_between_fences(infer: Any) -> None:
    with annotating(good) as model:
        infer("--annotator", model.name)
        question = model.service.seen[0].body["messages"][1]["content"]
    inside = [part for part in question.split("```") if part.startswith("data\n")]
    assert question.count("IGNORE ALL RULES") == 1
    assert sum("IGNORE ALL RULES" in part for part in inside) == 1


def test_calls_stop_at_their_limit_and_go_on_with_a_higher_one(
    infer: Any, monkeypatch: Any
) -> None:
    monkeypatch.setenv("GENOTEX_AT_ONCE", "1")
    with annotating(good) as model:
        code, err, answers = infer("--annotator", model.name, "--max-calls", 2)
        assert (code, model.calls, len(answers)) == (3, 2, 2)
        assert "--max-calls is reached: 2 of 2 calls" in err
        assert "The same command goes on from here" in err
        code, err, answers = infer("--annotator", model.name, "--max-calls", 4)
    assert (code, model.calls, len(answers)) == (0, len(CASES), len(CASES))


def test_money_stops_at_its_limit(infer: Any, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("GENOTEX_AT_ONCE", "1")
    with annotating(good) as model:
        settings = tmp_path / "models.toml"
        settings.write_text(PRICE.format(model=model.name))
        # A call of 100 tokens in and 20 out costs .0004.
        options = ("--annotator", model.name, "--settings", settings, "--max-cost", "0.0005")
        code, err, answers = infer(*options)
    assert (code, model.calls, len(answers)) == (3, 2, 2)
    assert "about $0.0" in err
    assert "--max-cost is reached: 0.0008 of 0.0005 US dollars" in err
    assert answers[0]["asked"]["cost"] == "0.0004"


def test_limit_of_money_with_an_unknown_price_is_refused_before_anything_is_sent(
    infer: Any,
) -> None:
    with annotating(good) as model:
        code, err, answers = infer("--annotator", model.name, "--max-cost", 1)
        assert (code, model.calls, answers) == (2, 0, [])
    assert "use --max-calls" in err


@pytest.mark.parametrize("answer", [careless, chatting])
def test_answer_that_cannot_be_used_leaves_the_series_to_the_rules_for_review(
    infer: Any, answer: Any
) -> None:
    _, _, by_rules = infer()
    with annotating(answer) as model:
        code, err, answers = infer("--annotator", model.name)
        assert model.calls == 2 * len(CASES)
    assert code == 0
    assert "decided by the rules, for review" in err
    for told, own in zip(answers, by_rules, strict=True):
        assert (told["by"], told["asked"]) == ("rules", None)
        assert "gave no answer that can be used" in told["review"]["trait"]
        assert {name: told[name] for name in own} | {"review": ""} == own | {"review": ""}


def test_both_agree_and_nothing_changes(infer: Any) -> None:
    _, _, by_rules = infer()
    with annotating(good) as model:
        _, _, answers = infer("--annotator", f"both:{model.name}")
    for told, own in zip(answers, by_rules, strict=True):
        same = set(own) - {"by", "review", "asked"}
        assert {name: told[name] for name in same} == {name: own[name] for name in same}
        assert told["review"] == {}
        assert told["asked"]["agrees"] == ["gene", "trait", "age", "gender"]
        assert told["by"] == f"rules and {model.name}"


def test_where_the_two_differ_the_rules_hold_for_review_and_the_answer_says_so(infer: Any) -> None:
    _, _, by_rules = infer()
    with annotating(contrary) as model:
        _, _, answers = infer("--annotator", f"both:{model.name}")
    for told, own in zip(answers, by_rules, strict=True):
        assert told["trait"] == own["trait"]
        assert f"the rules and {model.name} differ" in told["review"]["trait"]


def test_model_of_the_environment_is_compared_with_the_rules(infer: Any, monkeypatch: Any) -> None:
    with annotating(good) as model:
        monkeypatch.setenv("GENOTEX_MODEL", model.name)
        code, _, answers = infer("--annotator", "both")
    assert (code, answers[0]["by"]) == (0, f"rules and {model.name}")


def test_recording_is_replayed_without_a_network(infer: Any, cases: Path) -> None:
    record = cases.with_name("calls.jsonl")
    with annotating(good) as model:
        _, _, before = infer("--annotator", model.name, "--record", record)
    code, _, answers = infer("--annotator", f"replay:{record}")
    assert code == 0
    assert [told["trait"] for told in answers] == [told["trait"] for told in before]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--annotator", "both"], "both:PROVIDER:MODEL"),
        (["--annotator", "opnai:gpt"], "did you mean openai"),
        (["--max-calls", "3"], "--max-calls has no effect with --annotator rules"),
        (["--annotator", "ollama:m", "--least-certainty", ".5"], "both:ollama:m"),
        (["--annotator", "ollama:m", "--scheduler", "local:2"], "leave --scheduler out"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    infer: Any, options: list[str], told: str
) -> None:
    code, err, answers = infer(*options)
    assert (code, answers) == (2, [])
    assert told in err


def test_wrong_key_ends_the_command_with_what_is_done(infer: Any, monkeypatch: Any) -> None:
    from tests.models.servers import CompatibleDialect, serving

    monkeypatch.setenv("GENOTEX_AT_ONCE", "1")
    with serving(CompatibleDialect().wrong_key(KEY)) as service:
        code, err, answers = infer("--annotator", CompatibleDialect().name(f"{service.address}/v1"))
    assert (code, answers) == (3, [])
    assert "key" in err and KEY not in err


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", KEY)
    write_asthma(tmp_path / "input", number=24)
    return tmp_path / "input"


def record_of(output: Path, cohort: str = "GSE1") -> dict[str, Any]:
    path = output / "preprocess" / "Asthma" / "evidence" / f"{cohort}.json"
    return dict(json.loads(path.read_text()))


def test_cohort_records_who_annotated_and_is_done_again_for_another_annotator(
    genotex: Run, source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with annotating(right_about_asthma) as model:
        assert genotex("preprocess", source, out)[0] == 0
        by_rules = record_of(out)
        assert genotex("preprocess", source, out, "--annotator", model.name)[0] == 0
        told = record_of(out)
        assert genotex("preprocess", source, out, "--annotator", model.name)[0] == 0
        assert model.calls == 1
    assert "annotator" not in by_rules["options"]
    assert told["options"]["annotator"] == told["reading"]["by"] == model.name
    assert told["fingerprint"] != by_rules["fingerprint"]
    assert told["reading"]["asked"]["cost"] is None
    assert told["reading"]["asked"]["day"]
    assert any("1 call, cost unknown" in note for note in told["notes"])
    for path in out.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_processes_get_annotations_and_never_ask(
    genotex: Run, source: Path, tmp_path: Path
) -> None:
    write_asthma(source, "GSE2", number=14)
    with annotating(right_about_asthma) as model:
        code, _, _ = genotex(
            *("preprocess", source, tmp_path / "out", "--annotator", model.name, "-j", 2)
        )
        assert (code, model.calls) == (0, 2)
    assert record_of(tmp_path / "out", "GSE2")["reading"]["by"] == model.name


@pytest.mark.parametrize("jobs", [1, 2])
def test_cohorts_beyond_a_limit_are_not_done_and_the_others_are_kept(
    genotex: Run, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setenv("GENOTEX_AT_ONCE", "1")
    write_asthma(source, "GSE2", number=14)
    options = ("preprocess", source, tmp_path / "out", "-j", jobs, "--max-calls")
    with annotating(right_about_asthma) as model:
        code, _, err = genotex(*options, 1, "--annotator", model.name)
        assert (code, model.calls) == (3, 1)
        assert "the limit --max-calls is reached: 1 of 1 calls" in " ".join(err.split())
        assert record_of(tmp_path / "out")["reading"]["by"] == model.name
        code, _, _ = genotex(*options, 2, "--annotator", model.name)
        assert (code, model.calls) == (0, 2)


def test_record_and_screen_say_what_each_of_both_says(
    genotex: Run, source: Path, tmp_path: Path
) -> None:
    with annotating(wrong_about_asthma) as model:
        code, _, err = genotex(
            *("solve", source, tmp_path / "out", "--trait", "Asthma"),
            *("--annotator", f"both:{model.name}"),
        )
    said = f"the rules and {model.name} differ in 24 of 24 samples"
    assert code == 0
    assert said in " ".join(err.split())
    told = record_of(tmp_path / "out")["reading"]
    assert said in told["review"]["trait"] and "the rules' are used" in told["review"]["trait"]
    assert told["trait"]["values"]["disease state: asthma"] == 1
    report = (tmp_path / "out" / "report" / "Asthma_condition_None.html").read_text()
    assert "differ in 24 of 24 samples" in report


def test_sheet_says_of_each_sample_what_is_to_be_checked(
    genotex: Run, source: Path, tmp_path: Path
) -> None:
    path = tmp_path / "samples.csv"
    with annotating(wrong_about_asthma) as model:
        code, _, _ = genotex(
            *("clinical", "sheet", source, "--trait", "Asthma", "-o", path),
            *("--annotator", f"both:{model.name}"),
        )
    assert code == 0
    first = path.read_text().splitlines()[1]
    assert f"check: trait: the rules say control, {model.name} says case" in first


def test_series_is_shown_as_a_model_reads_it(genotex: Run, source: Path) -> None:
    matrix = next(source.rglob("*_series_matrix.txt.gz"))
    with annotating(right_about_asthma) as model:
        code, out, _ = genotex(
            "clinical", "show", matrix, "--trait", "Asthma", "--annotator", model.name
        )
    assert code == 0
    assert f"annotated by {model.name}" in " ".join(out.split())
    assert "12 cases, 12 controls" in " ".join(out.split())


def test_python_takes_the_annotator_as_an_option(source: Path) -> None:
    import genotex as gx

    with annotating(right_about_asthma) as model:
        found = gx.annotate(source / "GEO" / "Asthma" / "GSE1", "Asthma", annotator=model.name)
    assert found.samples["group"].value_counts().to_dict() == {"control": 12, "case": 12}
    assert any(model.name in note for note in found.notes)
