/** Colors of the theme as canvas needs them, and how the map is drawn. */

import type { CaseMap, Range } from "../api/types";

export type Rgb = [number, number, number];

/** Colors as the browser resolves them now, in the light or the dark theme. */
export function themeColors(element: HTMLElement, names: string[]): Rgb[] {
  const probe = document.createElement("span");
  element.append(probe);
  const found = names.map((name): Rgb => {
    probe.style.color = `var(${name})`;
    return parseRgb(getComputedStyle(probe).color);
  });
  probe.remove();
  return found;
}

export function parseRgb(text: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return text.startsWith("color(srgb") ? [255 * red, 255 * green, 255 * blue] : [red, green, blue];
}

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return [0, 1, 2].map((at) => (from[at] ?? 0) + share * ((to[at] ?? 0) - (from[at] ?? 0))) as Rgb;
}

export const css = ([red, green, blue]: Rgb, alpha = 1) =>
  `rgba(${Math.round(red)}, ${Math.round(green)}, ${Math.round(blue)}, ${alpha.toFixed(3)})`;

/** How strong a cell is: cells of one case stay visible beside those of thousands. */
export function strength(count: number, most: number): number {
  return 0.22 + 0.78 * (most > 1 ? Math.log(count) / Math.log(most) : 1);
}

interface Ink {
  back: Rgb;
  low: Rgb;
  high: Rgb;
  series: Rgb[];
  none: Rgb;
}

function inkOf(map: CaseMap, value: number | null, ink: Ink): Rgb {
  if (map.color.kind === "count") return ink.high;
  if (value === null) return ink.none;
  if (map.color.kind === "class") return ink.series[value % ink.series.length] ?? ink.none;
  const { low, high } = map.color;
  const share = low === null || high === null || high <= low ? 0.5 : (value - low) / (high - low);
  return mix(ink.low, ink.high, Math.min(1, Math.max(0, share)));
}

/** Draw the cells, or the single cases where there are few. */
export function paintMap(
  context: CanvasRenderingContext2D,
  map: CaseMap,
  size: number,
  ink: Ink,
): void {
  context.fillStyle = css(ink.back);
  context.fillRect(0, 0, size, size);
  if (map.points) {
    const radius = Math.max(2.2, Math.min(5, size / 90)) * (map.points.length > 400 ? 0.8 : 1);
    for (const point of map.points) {
      context.fillStyle = css(inkOf(map, point.value, ink), 0.72);
      context.beginPath();
      const [x, y] = toScreen(point.x, point.y, map.view, size);
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    }
    return;
  }
  const { x, y, count, value } = map.cells;
  const edge = (cell: number) => Math.round((cell * size) / map.bins);
  const most = count.reduce((best, one) => Math.max(best, one), 1);
  for (let at = 0; at < count.length; at += 1) {
    context.fillStyle = css(inkOf(map, value[at] ?? null, ink), strength(count[at] ?? 1, most));
    // Whole pixels, so that neighboring cells neither overlap nor leave a gap.
    const [left, right] = [edge(x[at] ?? 0), edge((x[at] ?? 0) + 1)];
    const [bottom, top] = [size - edge(y[at] ?? 0), size - edge((y[at] ?? 0) + 1)];
    context.fillRect(left, top, right - left, bottom - top);
  }
}

export function toScreen(x: number, y: number, view: Range, size: number): [number, number] {
  return [
    ((x - view.x[0]) / (view.x[1] - view.x[0])) * size,
    size - ((y - view.y[0]) / (view.y[1] - view.y[0])) * size,
  ];
}

export function toMap(left: number, top: number, view: Range, size: number): [number, number] {
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  return [
    clamp(view.x[0] + (left / size) * (view.x[1] - view.x[0])),
    clamp(view.y[0] + ((size - top) / size) * (view.y[1] - view.y[0])),
  ];
}
