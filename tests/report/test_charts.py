import re

from vicinal.report.charts import bar, effect_chart, histogram, scatter
from vicinal.report.parts import Distribution, Effect
from vicinal.report.scales import SHARES, Axis


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


def test_times_of_different_days_are_labeled_by_their_days():
    ends = ("2023-03-01 07:00:00+01:00 to 2023-03-05 07:00:00+01:00", "x to 2023-06-25 10:00:00")
    assert texts(histogram(Distribution(ends, (2.0, 5.0), ordered=True), "x")) == [
        "2023-03-01",
        "2023-06-25",
    ]
    one_day = tuple((at / 2, f"2024-01-01 0{at + 1}:00:00") for at in range(3))
    assert "2024-01-01…" in scatter([], Axis(0.0, 1.0, one_day), label="", below="", left="")
    days = tuple((at / 2, f"2024-01-0{at + 1} 05:30:00") for at in range(3))
    assert ">2024-01-02<" in scatter([], Axis(0.0, 1.0, days), label="", below="", left="")


def test_dates_at_the_axes_have_room_and_do_not_overlap():
    days = tuple((at / 2, f"2024-01-{10 * at + 1:02d}") for at in range(3))
    page = scatter([], Axis(0.0, 1.0, days), label="", below="", left="")
    left, _, width, _ = map(float, re.search(r'viewBox="([^"]*)"', page, re.I)[1].split())
    plain = scatter([], SHARES, label="", below="", left="")
    assert left < -20
    assert left + width > 340 + 56 + 30
    assert re.search(r'viewBox="0 0 ', plain, re.I)
    places = tuple(at / 9 for at in range(10))
    effect = Effect("day", True, places, tuple(f"2024-01-{at + 1:02d}" for at in range(10)), ())
    assert len(re.findall(">2024-", effect_chart(effect, SHARES, label="", left=""))) <= 5


def test_long_names_of_categories_do_not_overlap():
    names = tuple(f"ten letters {at}" for at in range(10))
    places = tuple((at + 0.5) / 10 for at in range(10))
    page = effect_chart(Effect("job", False, places, names, ()), SHARES, label="", left="")
    assert 2 <= len(re.findall('text-anchor="middle">ten letter', page)) <= 5
