import pytest

from genotex.clinical.words.wording import disease_by_ending, ends_like_tumour


@pytest.mark.parametrize("value", ["meningioma", "Wilms tumour and lymphoma"])
def test_word_that_ends_like_a_tumour(value: str) -> None:
    assert ends_like_tumour(value)


@pytest.mark.parametrize("value", ["glaucoma", "granuloma annulare", "haematoma", "tumour stroma"])
def test_word_on_oma_that_is_no_tumour(value: str) -> None:
    assert not ends_like_tumour(value)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("acute bronchitis", "bronchitis"),
        ("Glaucoma", "glaucoma"),
        ("hypoglycaemia", "hypoglycemia"),
    ],
)
def test_disease_by_its_ending(value: str, name: str) -> None:
    assert disease_by_ending(value) == name


@pytest.mark.parametrize("value", ["normoglycaemia", "euglycemia", "empathy score", "osteopathy"])
def test_word_with_the_ending_of_a_disease_that_is_none(value: str) -> None:
    assert disease_by_ending(value) is None
