"""The widget in a page that is not ours, with Python at the other end of its channel."""

import pytest

import vicinal
from tests.web.conftest import BUILT, PATIENCE
from vicinal.data import load_penguins
from vicinal.explorer.served import ServedModel
from vicinal.explorer.widget import reply

#: What anywidget does in a notebook.
HOST = """
async ([code, address]) => {
  const heard = [];
  const channel = {
    get: () => address,
    on: (_, act) => heard.push(act),
    off: () => {},
    send: async ({ id, path, body }) => {
      const [status, found] = await window.askPython(path, body);
      for (const act of heard) act({ id, status, body: found });
    },
  };
  const module = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const el = document.createElement("div");
  document.body.append(el);
  module.default.render({ model: channel, el });
}
"""


@pytest.fixture(scope="module")
def served():
    model = vicinal.Model(max_queries=60, random_state=0).fit(load_penguins())
    return ServedModel(model, "penguins", target="species")


def test_a_case_is_shown_and_changed_in_a_notebook(browser, served):
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.expose_function("askPython", lambda path, body: list(reply(served, path, body)))
    page.set_content("<body style='color: red'><h1>A notebook</h1></body>")
    code = (BUILT.parent / "widget" / "widget.js").read_text("utf-8")
    page.evaluate(HOST, [code, "#/case/40"])
    page.get_by_role("heading", name="Case #40").wait_for()
    answer = page.locator(
        "section", has=page.get_by_role("heading", name="Prediction", exact=True)
    )
    answer.locator("strong").get_by_text("Adelie", exact=True).wait_for()
    page.get_by_label("bill_length_mm", exact=True).fill("59.5")
    answer.locator("strong").get_by_text("Chinstrap", exact=True).wait_for()
    # Links stay in the widget, and neither page changes the style of the other.
    page.get_by_role("link", name="Next").click()
    page.get_by_role("heading", name="Case #41").wait_for()
    assert page.url == "about:blank"
    outer, inner = page.evaluate(
        "[document, document.querySelector('div').shadowRoot]"
        ".map((one) => getComputedStyle(one.querySelector('h1')).color)"
    )
    assert outer == "rgb(255, 0, 0)"
    assert inner != outer
    context.close()
    assert problems == []
