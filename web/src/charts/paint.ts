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

/**
 * How strong a cell is: cells of one case stay visible beside those of thousands, and where the
 * color says something, it can be told apart in each of them.
 */
export function strength(count: number, most: number, least = 0.22): number {
  return least + (1 - least) * (most > 1 ? Math.log(count) / Math.log(most) : 1);
}

export interface Ink {
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
  return mix(ink.low, ink.high, 0.15 + 0.85 * Math.min(1, Math.max(0, share)));
}

/** A case, if it has a radius, or a cell. */
interface Mark {
  x: number;
  y: number;
  width: number;
  height: number;
  radius: number;
  color: Rgb;
  alpha: number;
}

/** The cells, or the single cases where there are few. */
function marks(map: CaseMap, size: number, ink: Ink): Mark[] {
  if (map.points) {
    const radius = Math.max(2.2, Math.min(5, size / 90)) * (map.points.length > 400 ? 0.8 : 1);
    return map.points.map((point) => {
      const [x, y] = toScreen(point.x, point.y, map.view, size);
      const color = inkOf(map, point.value, ink);
      return { x, y, width: 0, height: 0, radius, color, alpha: 0.72 };
    });
  }
  const { x, y, count, value } = map.cells;
  const edge = (cell: number) => Math.round((cell * size) / map.bins);
  const most = count.reduce((best, one) => Math.max(best, one), 1);
  return count.map((cases, at) => {
    // Whole pixels, so that neighboring cells neither overlap nor leave a gap.
    const [left, right] = [edge(x[at] ?? 0), edge((x[at] ?? 0) + 1)];
    const [bottom, top] = [size - edge(y[at] ?? 0), size - edge((y[at] ?? 0) + 1)];
    return {
      x: left,
      y: top,
      width: right - left,
      height: bottom - top,
      radius: 0,
      color: inkOf(map, value[at] ?? null, ink),
      alpha: strength(cases, most, map.color.kind === "number" ? 0.75 : undefined),
    };
  });
}

export function paintMap(
  context: CanvasRenderingContext2D,
  map: CaseMap,
  size: number,
  ink: Ink,
): void {
  context.fillStyle = css(ink.back);
  context.fillRect(0, 0, size, size);
  for (const one of marks(map, size, ink)) {
    context.fillStyle = css(one.color, one.alpha);
    if (one.radius) {
      context.beginPath();
      context.arc(one.x, one.y, one.radius, 0, 2 * Math.PI);
      context.fill();
    } else context.fillRect(one.x, one.y, one.width, one.height);
  }
}

/** The same picture as SVG. It holds numbers only, so that nothing has to be escaped. */
export function drawMap(map: CaseMap, size: number, ink: Ink): string {
  const fixed = (value: number) => String(Math.round(100 * value) / 100);
  const shapes = marks(map, size, ink).map((one) => {
    const paint = `fill="${css(one.color)}" fill-opacity="${fixed(one.alpha)}"`;
    return one.radius
      ? `<circle cx="${fixed(one.x)}" cy="${fixed(one.y)}" r="${fixed(one.radius)}" ${paint}/>`
      : `<rect x="${one.x}" y="${one.y}" width="${one.width}" height="${one.height}" ${paint}/>`;
  });
  const back = `<rect width="${size}" height="${size}" fill="${css(ink.back)}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}">${back}${shapes.join("")}</svg>\n`;
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
