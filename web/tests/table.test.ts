import { describe, expect, test } from "vitest";
import { firstRow, pagesOf, scrollHeight, TALLEST } from "../src/parts/window";

describe("which rows of a long table are shown", () => {
  test("a short table scrolls by rows", () => {
    expect(scrollHeight(100, 33, 40)).toBe(3340);
    expect(firstRow(0, 100, 33, 10, 370, 40)).toBe(0);
    expect(firstRow(330, 100, 33, 10, 370, 40)).toBe(10);
    expect(firstRow(1e6, 100, 33, 10, 370, 40)).toBe(90);
  });

  test("the last row of a million can be reached, and the height stays drawable", () => {
    const count = 1_000_000;
    expect(scrollHeight(count, 33, 40)).toBe(TALLEST);
    expect(firstRow(0, count, 33, 10, 370, 40)).toBe(0);
    expect(firstRow(TALLEST - 370, count, 33, 10, 370, 40)).toBe(count - 10);
    expect(firstRow((TALLEST - 370) / 2, count, 33, 10, 370, 40)).toBe((count - 10) / 2);
  });

  test("pages cover the rows in view and no others", () => {
    expect(pagesOf(0, 16, 100)).toEqual([0]);
    expect(pagesOf(95, 111, 100)).toEqual([0, 100]);
    expect(pagesOf(100, 100, 100)).toEqual([]);
  });
});
