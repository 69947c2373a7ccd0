from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import RuleExpert
from genotex.clinical.trait.series_context import explained_abbreviations

from ..conftest import MakeDescription


def test_short_forms_get_their_long_forms() -> None:
    text = (
        "We compared idiopathic environmental intolerance (IEI) with heart failure with preserved "
        "ejection fraction (HFpEF), and (n = 12) controls (HC; unrelated)."
    )
    assert explained_abbreviations(text) == {
        "IEI": "idiopathic environmental intolerance",
        "HFpEF": "heart failure with preserved ejection fraction",
    }


def test_parentheses_that_explain_nothing() -> None:
    assert explained_abbreviations("twelve weeks (GSE1) and total RNA (Qiagen), see (A).") == {}


def test_values_are_read_as_the_texts_explain_them(make_description: MakeDescription) -> None:
    description = make_description(
        ["class: QTC", "class: QTA"],
        title="Follicular tumours",
        summary="quick thyroid cancer (QTC) and quiet thyroid adenoma (QTA)",
    )
    trait = RuleExpert().annotate(description, "Thyroid_Cancer").trait
    assert trait is not None
    assert list(trait.roles.values()) == ["case", "other disease"]
    assert any("as the texts explain 'QTC'" in line for line in trait.reasons.values())


@settings(deadline=None)
@given(st.text(alphabet="ab AB()-;", max_size=60))
def test_no_text_breaks_the_search(text: str) -> None:
    for short, long in explained_abbreviations(text).items():
        assert len(long) > len(short)


def test_the_s_of_a_possessive_begins_no_long_form() -> None:
    found = explained_abbreviations("criteria for primary Sjogren\u2019s syndrome (SS) were met")
    assert found == {"SS": "Sjogren\u2019s syndrome"}


def test_explanations_in_either_order() -> None:
    text = "Groups: NMC = non-manifesting carriers; HV (healthy volunteers), centenarians (C)."
    assert explained_abbreviations(text) == {
        "NMC": "non-manifesting carriers", "HV": "healthy volunteers", "C": "centenarians"
    }  # fmt: skip
