"""The page of functions is that of the catalogue."""

from tests.functions.functions_page import PAGE, page


def test_the_page_of_functions_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "write it anew: python -m tests.functions.functions_page"
