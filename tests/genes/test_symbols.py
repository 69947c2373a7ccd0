import pytest

from genotex.genes.symbols import date_symbols, official_symbols


@pytest.mark.parametrize("name", ["7-Sep", "07-Sep", "Sep-07", "7-Sep-20", "2020-09-07", "7-SEP"])
def test_a_date_that_was_septin_7(small, name):
    found = official_symbols([name], small, "sound")
    assert found.symbols == ("SEPTIN7",)
    assert found.dates == (name,)


def test_a_date_that_may_have_been_march1_or_marc1(small):
    found = official_symbols(["1-Mar", "10-Mar", "3-Nov"], small, "sound")
    assert found.symbols == (None, "MARCHF10", None)
    assert found.lost_dates == ("1-Mar", "3-Nov")
    assert (found.ambiguous, found.unknown) == (1, 1)


@pytest.mark.parametrize("name", ["43891", "7-Foo", "32-Sep", "0-Sep", "2020-13-07", "SEPT7", ""])
def test_texts_that_are_no_dates(name):
    assert date_symbols(name) == ()


def test_an_alias_that_looks_like_a_date_is_an_alias(packaged):
    # NCBI lists 1-Cys as a synonym of PRDX6; no month, and synonyms come first
    assert official_symbols(["1-Cys"], packaged, "sound").symbols == ("PRDX6",)


def test_case_and_blanks_do_not_matter(small):
    assert official_symbols([" p53 ", '"TP53"'], small, "sound").symbols == ("TP53", "TP53")


def test_tcga_symbols_followed_by_entrez_ids(small):
    names = ["TP53|7157", "?|780", "?", "?|4"]
    found = official_symbols(names, small, "sound")
    assert found.symbols == ("TP53", "DDR1", None, None)
    assert found.unknown == 2


def test_nanostring_suffix_and_several_spellings(small):
    names = ["A2M-mRNA", "P53 /// TP53", "A2M /// TP53", "XYZ /// TP53"]
    assert official_symbols(names, small, "sound").symbols == ("A2M", "TP53", None, "TP53")


def test_ambiguous_aliases_are_counted_in_sound_alone(small):
    assert official_symbols(["SHARED"], small, "sound").ambiguous == 1
    assert official_symbols(["SHARED"], small, "benchmark").symbols == ("OTHER",)
