/** Files made of what a view shows: tables as CSV, charts as SVG and PNG. */

import type { Value } from "../text/format";

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Rows as CSV. A text that a spreadsheet would take for a formula is given an apostrophe. */
export function toCsv(head: string[], rows: (Value | undefined)[][]): string {
  const cell = (value: Value | undefined): string => {
    if (value === null || value === undefined) return "";
    if (typeof value !== "string") return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [head, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

export function saveCsv(name: string, head: string[], rows: (Value | undefined)[][]): void {
  save(`${name}.csv`, new Blob(["\ufeff", toCsv(head, rows)], { type: "text/csv" }));
}

const COPIED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "opacity"];
const TEXT = ["font-size", "font-family", "font-weight", "text-anchor", "dominant-baseline"];

const SVG = "http://www.w3.org/2000/svg";

/** A chart with what the style sheet says written into its attributes. */
function inlined(chart: SVGSVGElement): SVGSVGElement {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const originals = [chart, ...chart.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  originals.forEach((original, at) => {
    const computed = getComputedStyle(original);
    const names =
      original.tagName === "text" || original.tagName === "tspan" ? [...COPIED, ...TEXT] : COPIED;
    for (const name of names) {
      const value = computed.getPropertyValue(name);
      if (value) copies[at]?.setAttribute(name, value);
    }
    copies[at]?.removeAttribute("class");
    copies[at]?.removeAttribute("style");
  });
  return copy;
}

/** Pixels of a title above a chart. */
const TITLE = 12;

function titled(title: string, chart: SVGSVGElement): SVGTextElement {
  const text = document.createElementNS(SVG, "text");
  const { color, fontFamily } = getComputedStyle(document.body);
  text.setAttribute("x", chart.getAttribute("x") ?? "0");
  text.setAttribute("y", String(Number(chart.getAttribute("y")) - 2));
  text.setAttribute("fill", color);
  text.setAttribute("font-family", fontFamily);
  text.setAttribute("font-size", "10");
  text.textContent = title;
  return text;
}

/** The charts as one file of their own, each where it is on the page. */
export function standalone(charts: SVGSVGElement[]): {
  text: string;
  width: number;
  height: number;
} {
  const places = charts.map((chart) => chart.getBoundingClientRect());
  const left = Math.min(...places.map((place) => place.left));
  // Titles that stand beside charts on the page come above them.
  const above = charts.some((chart) => chart.dataset["title"]) ? TITLE : 0;
  const top = Math.min(...places.map((place) => place.top)) - above;
  const width = Math.max(...places.map((place) => place.right)) - left;
  const height = Math.max(...places.map((place) => place.bottom)) - top;
  const whole = document.createElementNS(SVG, "svg");
  whole.setAttribute("xmlns", SVG);
  whole.setAttribute("width", String(width));
  whole.setAttribute("height", String(height));
  const back = document.createElementNS(SVG, "rect");
  back.setAttribute("width", "100%");
  back.setAttribute("height", "100%");
  back.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  whole.append(back);
  charts.forEach((chart, at) => {
    const copy = inlined(chart);
    copy.setAttribute("x", String((places[at]?.left ?? 0) - left));
    copy.setAttribute("y", String((places[at]?.top ?? 0) - top));
    whole.append(copy);
    const title = chart.dataset["title"];
    if (title) whole.append(titled(title, copy));
  });
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

export function saveSvg(name: string, charts: SVGSVGElement[]): void {
  saveSvgText(name, standalone(charts).text);
}

export function saveSvgText(name: string, text: string): void {
  save(`${name}.svg`, new Blob([text], { type: "image/svg+xml" }));
}

export async function savePng(name: string, charts: SVGSVGElement[]): Promise<void> {
  saveCanvas(name, await drawn(charts));
}

export function saveCanvas(name: string, canvas: HTMLCanvasElement): void {
  canvas.toBlob((blob) => blob && save(`${name}.png`, blob), "image/png");
}

/** Twice as many pixels as on the page, so that the picture can be printed. */
async function drawn(charts: SVGSVGElement[]): Promise<HTMLCanvasElement> {
  const { text, width, height } = standalone(charts);
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return canvas;
}
