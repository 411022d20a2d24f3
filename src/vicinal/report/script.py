"""The few lines that let a reader sort a table, and change a case by looking answers up."""

SCRIPT = """"use strict";
const parts = [...document.querySelectorAll(".part")];
const openPart = (hash) => {
  const part = parts.find((one) => `#${one.parentNode.id}` === hash);
  if (part) part.open = true;
};
// On a phone a whole report would be dozens of screens long.
if (matchMedia("(max-width: 40rem)").matches) {
  parts.slice(1).forEach((one) => { one.open = false; });
}
openPart(location.hash);
for (const link of document.querySelectorAll("nav a")) {
  link.addEventListener("click", () => openPart(link.hash));
}
addEventListener("beforeprint", () => parts.forEach((one) => { one.open = true; }));
const value = (cell) => {
  const text = cell.textContent.trim();
  const number = Number.parseFloat(text.replace(/[,+]|\\u00b1 ?/g, "").replace("\\u2212", "-"));
  return Number.isNaN(number) ? text : number;
};
const compare = (one, other) => {
  if (typeof one === typeof other) {
    return typeof one === "number" ? one - other : one.localeCompare(other);
  }
  return typeof one === "number" ? -1 : 1;
};
for (const table of document.querySelectorAll(".wide table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  // Tables whose rows belong together are left as they are.
  if (body.rows.length < 3 || body.querySelector("[colspan],.self")) continue;
  heads.forEach((head, at) => {
    const drawn = [...body.rows].some((row) => row.cells[at]?.querySelector(".spark"));
    if (drawn || !head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort(
        (one, other) => (down ? -1 : 1) * compare(value(one.cells[at]), value(other.cells[at])),
      );
      body.append(...rows);
    });
  });
}
for (const box of document.querySelectorAll(".whatif")) {
  const data = JSON.parse(box.querySelector("script").textContent);
  const form = box.querySelector("form");
  const fields = [...form.querySelectorAll("input,select")];
  const values = [...box.querySelectorAll(".answer .value")];
  const bars = [...box.querySelectorAll(".answer rect")];
  const percent = (share) =>
    share === 0 || share === 1 ? `${100 * share} %` : `${(100 * share).toFixed(1)} %`;
  const show = () => {
    let place = 0;
    fields.forEach((field, at) => {
      const which = Number(field.value);
      place = place * data.shape[at] + which;
      if (field.type === "range") {
        const text = data.texts[at][which];
        field.setAttribute("aria-valuetext", text);
        field.parentNode.querySelector("output").textContent = text;
      }
    });
    const answer = data.answers[place];
    values.forEach((value, at) => {
      value.textContent = data.classes ? percent(answer[at]) : answer;
    });
    bars.forEach((bar, at) => bar.setAttribute("width", Math.max(100 * answer[at], 0.6)));
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector(".back").addEventListener("click", () => {
    fields.forEach((field, at) => { field.value = String(data.own[at]); });
    show();
  });
  // A browser may have kept what was set before the page was loaded again.
  fields.forEach((field, at) => { field.value = String(data.own[at]); });
  form.hidden = false;
}
"""
