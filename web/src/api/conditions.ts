/** Conditions that select cases, as the service takes them, and in words. */

import { formatNumber, formatValue, type Value } from "../text/format";

export interface Condition {
  feature?: string;
  by?: string;
  at_least?: number | string;
  at_most?: number | string;
  in?: Value[];
  missing?: boolean;
  contains?: string;
  flag?: string;
  cases?: number[];
  region?: { x: [number, number]; y: [number, number] };
  not?: boolean;
}

/** Conditions are kept in the address as JSON; whatever is not a list of objects is none. */
export function parseConditions(text: string): Condition[] {
  if (!text) return [];
  try {
    const found: unknown = JSON.parse(text);
    if (!Array.isArray(found)) return [];
    return found.filter((one) => typeof one === "object" && one !== null) as Condition[];
  } catch {
    return [];
  }
}

export function formatConditions(conditions: Condition[]): string {
  return conditions.length ? JSON.stringify(conditions) : "";
}

export function describe(condition: Condition): string {
  const text = plain(condition);
  return condition.not ? `not (${text})` : text;
}

function plain(one: Condition): string {
  const name = formatValue(one.feature ?? one.by ?? "", 30);
  if (one.region) return "region of the map";
  if (one.flag) return one.flag;
  if (one.cases) return `${one.cases.length} listed cases`;
  if (one.missing) return `${name} is missing`;
  if (one.contains !== undefined) return `${name} contains “${formatValue(one.contains, 30)}”`;
  if (one.in) return `${name} is ${one.in.map((value) => formatValue(value, 24)).join(" or ")}`;
  const [low, high] = [one.at_least, one.at_most];
  if (low !== undefined && high !== undefined) return `${end(low)} ≤ ${name} ≤ ${end(high)}`;
  return high !== undefined ? `${name} ≤ ${end(high)}` : `${name} ≥ ${end(low ?? "")}`;
}

function end(value: number | string): string {
  return typeof value === "number" ? formatNumber(value) : formatValue(value, 24);
}
