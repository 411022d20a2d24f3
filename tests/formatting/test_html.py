"""Text stays text."""

from hypothesis import given
from hypothesis import strategies as st

from tests.report.reading import outline
from vicinal.formatting.html import data_block, joined, tag


def test_text_is_escaped_and_markup_is_not():
    assert tag("p", "<&>\"'", tag("b", "x")) == "<p>&lt;&amp;&gt;&quot;&#x27;<b>x</b></p>"
    assert joined("<", tag("br")) == "&lt;<br>"
    assert "</" not in data_block(["</script>", "<!--"])[:-9].removeprefix("<script")


@given(st.text())
def test_text_comes_out_as_it_went_in(text):
    read = outline(tag("div", text, title=text))
    # Line ends and what no page may have are the parser's and ours to change.
    kept = [one for one in text if one not in "\r\n\x0c\x00" and one.isprintable()]
    told = "".join(part for _, part in read.texts)
    assert [one for one in told if one.isprintable() and one != "\ufffd"] == [
        one for one in kept if one != "\ufffd"
    ]
    assert read.tags == ["div"]


def test_a_paragraph_keeps_a_sign_with_its_number():
    assert tag("p", "0 % <b>") == "<p>0\u00a0% &lt;b&gt;</p>"
    assert tag("div", "0 %") == "<div>0 %</div>"
