/** What a measure means, in words; thresholds are those of the documentation. */

/** Similarity conviction: expected over observed surprisal. */
export function convictionWords(conviction: number | null | undefined): string {
  if (conviction === null || conviction === undefined) return "not measured";
  if (conviction < 0.3) return "very unusual";
  if (conviction < 0.7) return "unusual";
  if (conviction <= 1.5) return "ordinary";
  return "very typical";
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

/** A finding of the audit. */
export function findingWords(kind: string): string {
  const words: Record<string, string> = {
    label: "wrong label",
    surprising: "surprising label",
    duplicate: "duplicate",
    unusual: "unusual case",
    giveaway: "gives the target away",
    feature: "uninformative feature",
  };
  return words[kind] ?? kind;
}
