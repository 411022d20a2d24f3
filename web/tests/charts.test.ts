import { cleanup, render } from "@testing-library/svelte";
import { afterEach, describe, expect, test } from "vitest";
import Waterfall from "../src/charts/Waterfall.svelte";
import { mix, parseRgb, strength, toMap, toScreen } from "../src/charts/paint";
import { linear, ticksOf, tickText } from "../src/charts/scales";
import Value from "../src/parts/Value.svelte";

afterEach(cleanup);

describe("the map", () => {
  const view = { x: [0.2, 0.6], y: [0.1, 0.5] } as { x: [number, number]; y: [number, number] };

  test("a place on the map and on the screen are one another's inverse", () => {
    const [left, top] = toScreen(0.3, 0.4, view, 400);
    expect(left).toBeCloseTo(100);
    expect(top).toBeCloseTo(100);
    const [x, y] = toMap(left, top, view, 400);
    expect(x).toBeCloseTo(0.3);
    expect(y).toBeCloseTo(0.4);
  });

  test("cells of one case can be seen beside cells of thousands", () => {
    expect(strength(1, 5000)).toBeGreaterThan(0.2);
    expect(strength(5000, 5000)).toBe(1);
    expect(strength(1, 1)).toBe(1);
  });

  test("colors of the browser are read in either form", () => {
    expect(parseRgb("rgb(31, 106, 165)")).toEqual([31, 106, 165]);
    expect(parseRgb("color(srgb 1 0.5 0)")).toEqual([255, 127.5, 0]);
    expect(mix([0, 0, 0], [10, 20, 30], 0.5)).toEqual([5, 10, 15]);
  });
});

test("ticks have the digits that their step needs", () => {
  expect(tickText(0.5, 0.25)).toBe("0.5");
  expect(tickText(0.25, 0.05)).toBe("0.25");
  expect(tickText(3000, 500)).toBe("3,000");
  expect(tickText(-2, 1)).toBe("\u22122");
});

describe("data on the page", () => {
  const HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>";

  test("a value is text, whatever it holds", () => {
    const { container } = render(Value, { value: HOSTILE });
    expect(container.textContent).toBe(HOSTILE);
    expect(container.querySelector("script,img")).toBeNull();
  });

  test("a value of 10,000 characters is cut, and its title too", () => {
    const { container } = render(Value, { value: "x".repeat(10_000) });
    expect(container.textContent?.length).toBe(60);
    expect(container.querySelector("bdi")?.title.length).toBe(400);
  });

  test("a waterfall ends where baseline and contributions add up to", () => {
    const steps = [
      { name: HOSTILE, value: "1", amount: 0.25 },
      { name: "b", value: "2", amount: -0.1 },
      { name: "c", value: "3", amount: 0.05 },
    ];
    const { container } = render(Waterfall, {
      baseline: 0.4,
      steps,
      from: "average",
      to: "Gentoo",
      percent: true,
      most: 2,
    });
    expect(container.textContent).toContain("60.0 %");
    expect(container.textContent).toContain("2 other features");
    expect(container.querySelector("script,img")).toBeNull();
  });
});

test("ticks that are no numbers are those of the service", () => {
  const scale = linear([0, 86400], [0, 300]);
  expect(ticksOf(scale, 2, [[0, "2024-01-31"]])).toEqual([[0, "2024-01-31"]]);
  expect(ticksOf(scale, 2, [[0, "\u22125"]]).map(([, text]) => text)).toContain("50,000");
});
