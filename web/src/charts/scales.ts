/** What the charts share: ticks, and text cut to the room there is. */

import { scaleLinear, type ScaleLinear } from "d3-scale";
import { clean, formatNumber, truncate } from "../text/format";

export type Scale = ScaleLinear<number, number>;

export function linear(domain: readonly [number, number], range: [number, number]): Scale {
  const [low, high] = domain;
  return scaleLinear(low === high ? [low - 0.5, high + 0.5] : [low, high], range);
}

/** Text of ticks: with as many digits as the step between them needs. */
export function tickText(value: number, step: number): string {
  const digits = Math.max(0, -Math.floor(Math.log10(Math.abs(step) || 1) + 1e-9));
  if (digits > 6 || Math.abs(value) >= 1e6) return formatNumber(value);
  return value
    .toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
    .replace("-", "\u2212");
}

/** A place on an axis, and what stands there. */
export type Tick = readonly [number, string];

/** Ticks of an axis: those of the service where they are no numbers, such as dates. */
export function ticksOf(
  scale: Scale,
  count: number,
  given: readonly Tick[] = [],
): readonly Tick[] {
  if (given.some(([, text]) => Number.isNaN(Number(text.replace("\u2212", "-"))))) return given;
  const places = scale.ticks(count);
  const step = (places[1] ?? 1) - (places[0] ?? 0);
  return places.map((place) => [place, tickText(place, step)]);
}

/** Pixels that a text needs; 12-pixel letters are up to 7 wide. */
export function room(text: string): number {
  return 6.9 * text.length;
}

/** Pixels that the longest of these ticks needs. */
export function tickRoom(ticks: readonly Tick[]): number {
  return Math.max(0, ...ticks.map(([, text]) => room(text)));
}

/** A name as a label of so many pixels. */
export function label(text: string, pixels: number): string {
  return truncate(clean(text), Math.max(3, Math.floor(pixels / 6.9)));
}
