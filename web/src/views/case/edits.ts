/** Changes of a case and constraints on its features, as the address keeps them. */

import type { Column, Value } from "../../api/types";

export type Changes = Record<string, Value>;
/** What counterfactuals may do to a feature that is not free. */
export type Hold =
  "fixed" | "increase" | "decrease" | { between: [Value, Value] } | { in: Value[] };
export type Holds = Record<string, Hold>;

/** Read an object of values from an address; anything else is none. */
export function parseChanges(text: string): Changes {
  return parseObject(text, (value) => value === null || typeof value !== "object") as Changes;
}

export function parseHolds(text: string): Holds {
  return parseObject(text, isHold) as Holds;
}

function isHold(given: unknown): given is Hold {
  if (typeof given !== "object" || given === null)
    return ["fixed", "increase", "decrease"].includes(String(given));
  const { between, in: among } = given as { between?: unknown; in?: unknown };
  const plain = (one: unknown) => one === null || typeof one !== "object";
  if (Array.isArray(between)) return between.length === 2 && between.every(plain);
  return Array.isArray(among) && among.every(plain);
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

/** What a constraint is called on its button. */
export function holdWord(hold: Hold | undefined): string {
  if (!hold) return "free";
  if (typeof hold === "object") return "between" in hold ? "range" : "set";
  return { fixed: "fixed", increase: "only up", decrease: "only down" }[hold];
}

/** The values that a feature may be chosen from, if they are listed. */
export const categoriesOf = (column: Column): Value[] | null =>
  column.input.categories?.map((one) => one.value) ??
  (column.input.type === "boolean" ? [false, true] : null);

/** The next constraint when it is clicked on, in an order that depends on the feature. */
export function nextHold(hold: Hold | undefined, column: Column): Hold | undefined {
  const { minimum, maximum } = column.input;
  const listed = categoriesOf(column);
  const order: (Hold | undefined)[] = [undefined, "fixed"];
  if (column.kind === "continuous" || column.kind === "ordinal")
    order.push("increase", "decrease");
  order.push(listed ? { in: listed } : { between: [minimum, maximum] });
  const words = order.map(holdWord);
  return order[(words.indexOf(holdWord(hold)) + 1) % order.length];
}

/** Constraints as a request for counterfactuals takes them. */
export function constraints(holds: Holds) {
  const found = {
    immutable: [] as string[],
    directions: {} as Record<string, Hold>,
    ranges: {} as Record<string, [Value, Value]>,
    allowed: {} as Record<string, Value[]>,
  };
  for (const [name, hold] of Object.entries(holds)) {
    if (hold === "fixed") found.immutable.push(name);
    else if (typeof hold === "string") found.directions[name] = hold;
    else if ("between" in hold) found.ranges[name] = hold.between;
    else found.allowed[name] = hold.in;
  }
  return found;
}
