from vicinal.report.charts import bar


def test_a_bar_begins_where_it_is_told():
    assert 'x="50" width="25"' in bar(0.25, start=0.5)
