/** Changes of a case and constraints on its features, as the address keeps them. */

import type { Column, Value } from "../../api/types";

export type Changes = Record<string, Value>;
export type Hold = "free" | "fixed" | "increase" | "decrease";

/** Read an object of values from an address; anything else is none. */
export function parseChanges(text: string): Changes {
  return parseObject(text, (value) => value === null || typeof value !== "object") as Changes;
}

export function parseHolds(text: string): Record<string, Hold> {
  const known = ["fixed", "increase", "decrease"];
  return parseObject(text, (value) => known.includes(String(value))) as Record<string, Hold>;
}

function parseObject(text: string, keep: (value: unknown) => boolean): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text || "{}");
    if (typeof found !== "object" || found === null || Array.isArray(found)) return {};
    return Object.fromEntries(Object.entries(found).filter(([, value]) => keep(value)));
  } catch {
    return {};
  }
}

export function formatObject(found: Record<string, unknown>): string {
  return Object.keys(found).length ? JSON.stringify(found) : "";
}

/** Changes with one more value; a value set back to the original is no change. */
export function withChange(
  changes: Changes,
  name: string,
  value: Value,
  original: Value,
): Changes {
  const next = { ...changes };
  if (value === original) delete next[name];
  else next[name] = value;
  return next;
}

export const isNumber = (column: Column) =>
  column.input.type === "number" ||
  column.input.type === "integer" ||
  column.input.type === "duration";

/** The next constraint when it is clicked on; only numbers have directions. */
export function nextHold(hold: Hold, column: Column): Hold {
  const order: Hold[] = isNumber(column)
    ? ["free", "fixed", "increase", "decrease"]
    : ["free", "fixed"];
  return order[(order.indexOf(hold) + 1) % order.length] ?? "free";
}

/** Constraints as a request for counterfactuals takes them. */
export function constraints(holds: Record<string, Hold>): {
  immutable: string[];
  directions: Record<string, Hold>;
} {
  const entries = Object.entries(holds);
  return {
    immutable: entries.filter(([, hold]) => hold === "fixed").map(([name]) => name),
    directions: Object.fromEntries(
      entries.filter(([, hold]) => hold === "increase" || hold === "decrease"),
    ),
  };
}
