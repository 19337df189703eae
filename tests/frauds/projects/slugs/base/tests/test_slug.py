"""What a slug has always been."""

from slugs import is_slug, slug


def test_words_are_joined():
    assert slug("  Hello, World! ") == "hello-world"


def test_letters_become_plain():
    assert slug("Straße nach Łódź, à la carte") == "strasse-nach-lodz-a-la-carte"


def test_signs_alone_are_nothing():
    assert slug("?!") == ""


def test_what_could_be_a_slug():
    assert is_slug("a-b-3")
    assert not is_slug("a--b") and not is_slug("-a") and not is_slug("A")
