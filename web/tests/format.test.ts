import { describe, expect, test } from "vitest";
import {
  clean,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatPredicted,
  formatSigned,
  sayP,
  formatValue,
  truncate,
} from "../src/text/format";

describe("values as text", () => {
  test("numbers have four digits, and whole numbers have all", () => {
    expect(formatNumber(43.92182)).toBe("43.92");
    expect(formatNumber(3750)).toBe("3750");
    expect(formatNumber(1234567)).toBe("1,234,567");
    expect(formatNumber(-0.5)).toBe("\u22120.5");
    expect(formatNumber(1e-7)).toBe("1.00e\u22127");
    expect(formatNumber(Infinity)).toBe("∞");
    expect(formatNumber(-2.5e-13)).toBe("\u22122.50e\u221213");
    expect(formatNumber(-0)).toBe("0");
    expect(formatNumber(NaN)).toBe("?");
  });

  test("durations read as a person would write them", () => {
    expect(formatDuration(20973)).toBe("5:49:33");
    expect(formatDuration(86471)).toBe("1 day, 0:01:11");
    expect(formatDuration(-3979)).toBe("\u22121:06:19");
    expect(formatDuration(-180000)).toBe("\u2212(2 days, 2:00:00)");
    expect(formatDuration(0.25)).toBe("0:00:00.25");
    expect(formatDuration(3600.5, true)).toBe("1:00:01");
    expect(formatDuration(36.074335, true)).toBe("0:00:36.07");
    expect(formatDuration(-0.0001, false)).toBe("\u22120:00:00.0001");
    expect(formatDuration(Infinity)).toBe("∞");
  });

  test("a missing value is a question mark, an empty text says so", () => {
    expect(formatValue(null)).toBe("?");
    expect(formatValue(undefined)).toBe("?");
    expect(formatValue("")).toBe("(empty)");
    expect(formatValue(false)).toBe("false");
    expect(formatValue(0)).toBe("0");
  });

  test("control characters and lone surrogates show as replaced", () => {
    expect(clean("a\u0000b\u001b[31m\ud800")).toBe("a\ufffdb\ufffd[31m\ufffd");
    expect(clean("tab\tline\n😀")).toBe("tab\tline\n😀");
  });

  test("long text is cut by whole characters", () => {
    expect(truncate("abcdef", 6)).toBe("abcdef");
    expect(truncate("abcdefg", 6)).toBe("abcde…");
    expect(truncate("😀😀😀😀", 3)).toBe("😀😀…");
    expect(formatValue("x".repeat(10_000)).length).toBe(60);
  });

  test("a share that is not quite 0 or 1 does not look like it", () => {
    expect(formatPercent(0)).toBe("0 %");
    expect(formatPercent(1)).toBe("100 %");
    expect(formatPercent(0.00001)).toBe("< 0.1 %");
    expect(formatPercent(0.99999)).toBe("> 99.9 %");
    expect(formatPercent(0.125)).toBe("12.5 %");
    expect(formatPercent(null)).toBe("–");
  });

  test("negative shares are no small ones", () => {
    expect(formatPercent(-0.069)).toBe("\u22126.9 %");
    expect(formatPercent(-0.00001)).toBe("> \u22120.1 %");
  });

  test("times have no T, dates no midnight, predictions no fractions of seconds", () => {
    expect(formatValue("2024-04-09T00:00:00")).toBe("2024-04-09");
    expect(formatValue("2024-04-09T04:28:04.463696")).toBe("2024-04-09 04:28:04.463696");
    expect(formatPredicted("2024-04-09T04:28:04.463696+02:00")).toBe("2024-04-09 04:28:04+02:00");
    expect(formatPredicted("2024-04-09")).toBe("2024-04-09");
    expect(formatPredicted(0.25)).toBe("0.25");
  });

  test("differences carry a sign and the digits that their scale needs", () => {
    expect(formatSigned(0.06404, 0.13)).toBe("+0.06");
    expect(formatSigned(-57.31, 420)).toBe("\u221257");
    expect(formatSigned(0.0001, 10)).toBe("0");
  });

  test("a p-value has one sign", () => {
    expect(sayP(0.0123)).toBe("p = 0.012");
    expect(sayP(0.0001)).toBe("p < 0.001");
  });

  test("counts agree with their nouns", () => {
    expect(formatCount(1, "case")).toBe("1 case");
    expect(formatCount(2000, "case")).toBe("2,000 cases");
  });
});
