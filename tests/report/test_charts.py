import re

from vicinal.report.charts import bar, histogram
from vicinal.report.parts import Distribution


def test_a_bar_begins_where_it_is_told():
    assert 'x="50" width="25"' in bar(0.25, start=0.5)


def texts(page):
    return re.findall(r"<text[^>]*>([^<]*)", page)


def test_the_ends_of_a_histogram_are_labeled():
    numbers = Distribution(("1.5 to 3", "3 to 4.5"), (2.0, 5.0), ordered=True)
    assert texts(histogram(numbers, "x")) == ["1.5", "4.5"]
    few = Distribution(("Biscoe", "Dream"), (2.0, 5.0), ordered=False)
    assert texts(histogram(few, "x")) == ["Biscoe", "Dream"]
    many = Distribution(tuple("abcdef"), (1.0,) * 6, ordered=False)
    assert texts(histogram(many, "x")) == ["a", "f"]
    assert texts(histogram(Distribution((), (), ordered=False), "x")) == []
