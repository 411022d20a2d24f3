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

/** A chart as a file of its own: what the style sheet says is written into its attributes. */
export function standalone(chart: SVGSVGElement): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const originals = [chart, ...chart.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  originals.forEach((original, at) => {
    const computed = getComputedStyle(original);
    const names = original.tagName === "text" ? [...COPIED, ...TEXT] : COPIED;
    for (const name of names) {
      const value = computed.getPropertyValue(name);
      if (value && value !== "none 0px") copies[at]?.setAttribute(name, value);
    }
    copies[at]?.removeAttribute("class");
    copies[at]?.removeAttribute("style");
  });
  const { width, height } = chart.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  back.setAttribute("width", "100%");
  back.setAttribute("height", "100%");
  back.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(back);
  return new XMLSerializer().serializeToString(copy);
}

export function saveSvg(name: string, chart: SVGSVGElement): void {
  save(`${name}.svg`, new Blob([standalone(chart)], { type: "image/svg+xml" }));
}

export async function savePng(
  name: string,
  chart: SVGSVGElement | HTMLCanvasElement,
): Promise<void> {
  const canvas = chart instanceof HTMLCanvasElement ? chart : await drawn(chart);
  canvas.toBlob((blob) => blob && save(`${name}.png`, blob), "image/png");
}

async function drawn(chart: SVGSVGElement): Promise<HTMLCanvasElement> {
  const address = URL.createObjectURL(new Blob([standalone(chart)], { type: "image/svg+xml" }));
  const { width, height } = chart.getBoundingClientRect();
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return canvas;
}
