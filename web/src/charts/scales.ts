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

/** Pixels that the longest of these ticks needs. */
export function tickRoom(ticks: number[]): number {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  return 6.9 * Math.max(0, ...ticks.map((tick) => tickText(tick, step).length));
}

/** A name as a label of so many pixels; 12-pixel letters are up to 7 wide. */
export function label(text: string, pixels: number): string {
  return truncate(clean(text), Math.max(3, Math.floor(pixels / 6.9)));
}
