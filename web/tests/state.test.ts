import { describe, expect, test } from "vitest";
import { describe as words, formatConditions, parseConditions } from "../src/api/conditions";
import { toCsv } from "../src/state/download";
import { address, parseRoute } from "../src/state/route.svelte";
import {
  constraints,
  formatObject,
  holdWord,
  nextHold,
  parseChanges,
  parseHolds,
  withChange,
  type Hold,
  type Holds,
} from "../src/views/case/edits";
import type { Column } from "../src/api/types";

describe("addresses", () => {
  test("an address gives back the view, the name and the parameters it was made of", () => {
    const name = "a/b?c=d&e #f";
    const route = parseRoute(address("case", name, { filter: '[{"x":1}]', empty: "" }));
    expect(route.view).toBe("case");
    expect(route.name).toBe(name);
    expect(route.params.get("filter")).toBe('[{"x":1}]');
    expect(route.params.has("empty")).toBe(false);
  });

  test("an address that is none leads to the overview", () => {
    expect(parseRoute("").view).toBe("overview");
    expect(parseRoute("#/").view).toBe("overview");
    expect(parseRoute("#/case/%E0%A4%A").name).toBe("%E0%A4%A");
  });
});

describe("conditions", () => {
  test("conditions survive the address, and nonsense becomes none", () => {
    const conditions = [{ feature: "age", at_least: 3 }, { flag: "outlier" }];
    expect(parseConditions(formatConditions(conditions))).toEqual(conditions);
    for (const text of ["", "{", "3", '{"a":1}', "[1,null]"])
      expect(parseConditions(text)).toEqual([]);
  });

  test("conditions read as sentences do", () => {
    expect(words({ feature: "age", at_least: 3, at_most: 5 })).toBe("3 ≤ age ≤ 5");
    expect(words({ by: "conviction", at_most: 0.7 })).toBe("conviction ≤ 0.7");
    expect(words({ feature: "island", in: ["Dream", null] })).toBe("island is Dream or ?");
    expect(words({ feature: "sex", missing: true, not: true })).toBe("not (sex is missing)");
  });
});

const number = {
  name: "x",
  kind: "continuous",
  input: { type: "number", minimum: 1, maximum: 9, categories: null },
} as Column;
const category = {
  name: "x",
  kind: "nominal",
  input: { type: "category", categories: [{ value: "a" }, { value: "b" }] },
} as Column;

describe("changes and constraints of a case", () => {
  test("a value that is set back is no change", () => {
    const changed = withChange({}, "age", 41, 40);
    expect(changed).toEqual({ age: 41 });
    expect(withChange(changed, "age", 40, 40)).toEqual({});
    expect(withChange({}, "age", null, 40)).toEqual({ age: null });
  });

  test("changes survive the address, and nonsense becomes none", () => {
    const changes = { age: 41, job: null, "a&b=c": "<script>" };
    expect(parseChanges(formatObject(changes))).toEqual(changes);
    for (const text of ["", "[", "[1]", '"x"', '{"a":{}}']) expect(parseChanges(text)).toEqual({});
    const holds = { a: "fixed", b: { between: [1, null] }, c: { in: ["x", 2] } };
    expect(parseHolds(formatObject(holds))).toEqual(holds);
    for (const one of ['"maybe"', "{}", '{"between":[1]}', '{"in":[{}]}', "[]", "null"])
      expect(parseHolds(`{"a":${one}}`)).toEqual({});
  });

  test("numbers can be held in one direction or a range, categories in a set", () => {
    const clicks = (column: Column) => {
      const seen: (Hold | undefined)[] = [undefined];
      do seen.push(nextHold(seen.at(-1), column));
      while (seen.at(-1));
      return seen.map(holdWord);
    };
    expect(clicks(number)).toEqual(["free", "fixed", "only up", "only down", "range", "free"]);
    expect(clicks(category)).toEqual(["free", "fixed", "set", "free"]);
    expect(nextHold("decrease", number)).toEqual({ between: [1, 9] });
    expect(nextHold("fixed", category)).toEqual({ in: ["a", "b"] });
    expect(nextHold({ in: ["a"] }, category)).toBeUndefined();
  });

  test("constraints become the fields of a request", () => {
    const age: [number, null] = [40, null];
    const holds: Holds = {
      sex: "fixed",
      mass: "increase",
      age: { between: age },
      job: { in: ["cook"] },
    };
    expect(constraints(holds)).toEqual({
      immutable: ["sex"],
      directions: { mass: "increase" },
      ranges: { age },
      allowed: { job: ["cook"] },
    });
  });
});

describe("downloads", () => {
  test("cells are quoted, and what a spreadsheet would run is text", () => {
    const text = toCsv(
      ["a", 'b"c'],
      [
        [1, "x,y"],
        [null, "=cmd()"],
        [-2, "-3"],
      ],
    );
    expect(text).toBe('a,"b""c"\r\n1,"x,y"\r\n,\'=cmd()\r\n-2,\'-3\r\n');
  });
});
