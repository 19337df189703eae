"""Short and unique slugs."""

from slugs.taken import shorten, unique


def test_whole_words_are_kept():
    """C1"""
    assert shorten("the-quick-brown-fox", 12) == "the-quick"
    assert shorten("the-quick-brown-fox", 15) == "the-quick-brown"
    assert shorten("the-quick", 20) == "the-quick"


def test_a_long_first_word_is_cut():
    """C2"""
    assert shorten("donaudampfschiff-fahrt", 10) == "donaudampf"


def test_a_free_slug_stays():
    """C3"""
    assert unique("hello-world", {"hello"}) == "hello-world"


def test_a_taken_slug_gets_the_first_free_number():
    """C3"""
    assert unique("hello", {"hello"}) == "hello-2"
    assert unique("hello", {"hello", "hello-2", "hello-4"}) == "hello-3"


def test_the_number_fits_into_the_length():
    """C4"""
    assert unique("one-two-three", {"one-two-three"}, length=13) == "one-two-2"
    assert unique("abcdef", {"abcdef"}, length=6) == "abcd-2"


def test_nothing_is_untitled():
    """C5"""
    assert unique("", set()) == "untitled"
    assert unique("", {"untitled"}) == "untitled-2"
