"""The few lines that let a reader change a case; they look answers up and know nothing else."""

SCRIPT = """"use strict";
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
