/** What a measure means, in words; thresholds are those of the documentation. */

import { formatNumber } from "./format";

/** Similarity conviction: expected over observed surprisal. */
export function convictionWords(conviction: number | null | undefined): string {
  if (conviction === null || conviction === undefined) return "not measured";
  if (conviction < 0.3) return "very unusual";
  if (conviction < 0.7) return "unusual";
  if (conviction <= 1.5) return "ordinary";
  return "very typical";
}

export function convictionSentence(conviction: number): string {
  if (conviction < 0.7) {
    const times = 1 / Math.max(conviction, 1e-9);
    return `This case is ${formatNumber(Number(times.toPrecision(2)))} times as surprising as the cases around it.`;
  }
  if (conviction <= 1.5) return "This case is about as surprising as the cases around it.";
  return "This case is less surprising than the cases around it: it lies in a dense region.";
}

export function residualSentence(conviction: number): string {
  if (conviction < 0.5) return "Cases like this one are much harder to predict than usual.";
  if (conviction < 0.8) return "Cases like this one are harder to predict than usual.";
  if (conviction <= 1.25) return "Cases like this one are about as hard to predict as usual.";
  return "Cases like this one are easier to predict than usual.";
}

export function kindWords(kind: string): string {
  const words: Record<string, string> = {
    continuous: "number",
    nominal: "category",
    ordinal: "ordered category",
    cyclic: "cyclic",
  };
  return words[kind] ?? kind;
}
