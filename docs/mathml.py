"""Formulas as MathML, which browsers draw by themselves: no script, no network."""

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.util.logging import getLogger

# TeX that docutils does not read, or reads otherwise, and what it does.
_SPELLINGS = {
    r"\\Big(?![lr])": "",
    r"\\([td]?frac)(\d)(\d|[A-Za-z]|\\[A-Za-z]+)": r"\\\1{\2}{\3}",
    r"\\dots": r"\\ldots",
}
# Browsers put space around these, as if they were relations.
_TIGHT = re.compile(r"<mo( [^>]*)?(?=>[|/]</mo>)")


def _mathml(node: nodes.Element, *, block: bool) -> str:
    formula = node.astext()
    for short, long in _SPELLINGS.items():
        formula = re.sub(short, long, formula)
    try:
        return _TIGHT.sub(
            r'<mo lspace="0" rspace="0"\g<1>', latex2mathml.tex2mathml(formula, block)
        )
    except MathError as problem:
        getLogger(__name__).warning("%s in the formula %s", problem, formula, location=node)
        return f"<code>{escape(formula)}</code>"


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{_mathml(node, block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
