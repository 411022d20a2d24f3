/** Answers of the service, as docs/service-api.md describes them. */

import type { Value } from "../text/format";

export type { Value };

export interface Sample {
  cases: number;
  of: number;
}

export interface ModelEntry {
  name: string;
  title: string;
  cases: number;
  features: number;
  target: string | null;
  target_kind: "class" | "number" | null;
  labeled: boolean;
  version: number;
}

export interface Task {
  name: string;
  state: "waiting" | "running" | "ready" | "failed";
  progress: number;
  message: string;
}

export interface Status {
  state: string;
  version: number;
  tasks: Task[];
}

export interface Category {
  value: Value;
  text: string;
  count: number;
}

export interface Input {
  type: string;
  minimum: number | string | null;
  maximum: number | string | null;
  step: number | null;
  categories: Category[] | null;
  more_categories: number;
}

export interface Column {
  name: string;
  role: string;
  kind: string;
  note: string | null;
  missing: number;
  distinct: number;
  typical: Value;
  residual: string | null;
  explained: number | null;
  input: Input;
  distribution: { labels: string[]; counts: number[]; ordered: boolean };
}

export interface Schema {
  model: string;
  version: number;
  cases: number;
  target: string | null;
  id_column: string | null;
  labeled: boolean;
  columns: Column[];
  ignored: { name: string; role: string; reason: string }[];
}

export interface Ranking {
  label: Value;
  rate: number;
  auc: number | null;
  average_precision: number | null;
  ks: number | null;
  lift: number | null;
  roc: [number, number][];
  precision_recall: [number, number][];
  gains: [number, number][];
}

export interface Performance {
  headline: string;
  n_cases: number;
  predictors: string[];
  scores: { name: string; hint: string; texts: string[] }[];
  calibration: {
    what: string;
    points: { expected: number; observed: number; cases: number }[];
    error: number | null;
    sentence: string;
  } | null;
  coverage: { nominal: number; observed: number; cases: number }[];
  confusion: { labels: string[]; counts: number[][] } | null;
  rankings: Ranking[] | null;
  decisions: {
    rare: string;
    rules: { rule: string; scores: string[] }[];
    score_names: string[];
    thresholds: string[][];
  } | null;
  residuals: {
    /** True and predicted numbers. */
    points: [number, number][];
    axis: Axis;
    histogram: { edges: number[]; counts: number[] };
    /** The unit of errors of times; empty of anything else. */
    unit: string;
  } | null;
}

export interface Axis {
  low: number;
  high: number;
  ticks: [number, string][];
}

export interface Effect {
  feature: string;
  ordered: boolean;
  places: number[];
  texts: string[];
  series: { label: string; values: (number | null)[] }[];
}

export interface Overview {
  target: string | null;
  target_kind: string | null;
  sample: Sample | null;
  performance: Performance | null;
  importance: {
    unit: string;
    n_cases: number;
    features: {
      feature: string;
      size: number | null;
      loss_if_dropped: number | null;
      alone: number | null;
      direction: string;
    }[];
    effects: Effect[];
    axis: Axis;
  } | null;
}

export interface CaseName {
  case: number | null;
  label?: Value;
  name: string;
}

export interface CaseRow extends CaseName {
  case: number;
  values: Value[];
  prediction: Value;
  probability: number | null;
  error: number | null;
  conviction: number | null;
  p_value: number | null;
  flags: string[];
  /** Set by the page: what can be known about the row has been asked for. */
  asked?: boolean;
}

export interface CasePage {
  version: number;
  total: number;
  of: number;
  offset: number;
  columns: string[];
  rows: CaseRow[];
  computed: Record<string, { state: string; cases: number; of: number }>;
}

export interface Range {
  x: [number, number];
  y: [number, number];
}

export interface CaseMap {
  view: Range;
  bins: number;
  total: number;
  of: number;
  sample: Sample;
  color: { kind: string; classes: Value[] | null; low: number | null; high: number | null };
  cells: {
    x: number[];
    y: number[];
    count: number[];
    value: (number | null)[];
    share: (number | null)[] | null;
  };
  points: { case: number; name: string; x: number; y: number; value: number | null }[] | null;
}

export interface Prediction {
  prediction: Value;
  probabilities: { class: Value; probability: number }[] | null;
  set: Value[] | null;
  interval: [Value, Value] | null;
}

export interface Influence extends CaseName {
  influence: number;
  outcome: Value;
}

export interface Conviction {
  similarity: number | null;
  familiarity?: number | null;
  p_value: number | null;
  direction: string;
  text: string;
}

export interface Answer extends Prediction {
  headline: string;
  conviction: Conviction;
  cases: Influence[];
}

export interface WhatIf {
  target: string;
  changed: string[];
  before: Answer | null;
  after: Answer;
  row: Record<string, Value>;
}

export interface BesideCase extends Influence {
  case: number;
  distance: number;
  values: Value[];
  terms: number[];
  differs: boolean[];
}

export interface Contributions {
  outcome: Value;
  baseline: number;
  prediction: number;
  /** The unit of times; empty of anything else. */
  unit: string;
  /** The baseline and the prediction as text. */
  between: [string, string];
  exact: boolean;
  steps: {
    feature: string;
    text: string;
    contribution: number;
    standard_error: number;
    start: number;
    end: number;
  }[];
}

export interface Explanation extends Prediction, CaseName {
  stored: boolean;
  target: string;
  headline: string;
  alpha: number;
  truth: Value;
  given: { feature: string; value: Value; text: string }[];
  features: string[];
  weights: number[] | null;
  cases: BesideCase[];
  n_contributing: number;
  rest: number;
  background: number;
  boundary: BesideCase[];
  contributions: Contributions | null;
  conviction: Conviction;
  residual_conviction: { conviction: number | null; text: string };
}

export interface Comparison {
  /** What the rows are called; nothing of new ones. */
  a: CaseName | null;
  b: CaseName | null;
  distance: number;
  features: {
    feature: string;
    a: Value;
    b: Value;
    a_text: string;
    b_text: string;
    term: number;
    differs: boolean;
    weight: number;
  }[];
  predictions: { a: Prediction; b: Prediction } | null;
}

export interface Anomalies {
  total: number;
  offset: number;
  judged: number;
  sample: Sample;
  clean_share: number | null;
  promise: string | null;
  histogram: { edges: number[]; counts: number[] } | null;
  anomalies: (CaseName & {
    conviction: number;
    p_value: number | null;
    direction: string;
    features: { feature: string; nats: number; text: string; ordinary_texts: string[] }[];
    ordinary: CaseName[];
  })[];
}

export interface Counterfactual extends CaseName {
  changes: { feature: string; from: Value; to: Value; from_text: string; to_text: string }[];
  row: Record<string, Value>;
  prediction: Value;
  probabilities: { class: Value; probability: number }[] | null;
  conviction: number | null;
}

export interface Counterfactuals {
  target: string;
  message: string;
  counterfactuals: Counterfactual[];
  relaxation: {
    constraints: { argument: string; feature: string | null }[];
    text: string;
    counterfactual: Counterfactual | null;
  } | null;
}

export interface Drift {
  changed: boolean;
  p_value: number;
  amount: number;
  together: number;
  n_stored: number;
  n_new: number;
  features: {
    feature: string;
    gap: number | null;
    p_own: number | null;
    p_given_others: number | null;
    p_adjusted: number | null;
    change: string;
  }[];
}

export interface Audit {
  target: string | null;
  sample: Sample;
  kinds: { kind: string; title: string; count: number }[];
  total: number;
  offset: number;
  findings: (CaseName & {
    kind: string;
    feature: string | null;
    score: number;
    evidence: string;
    cases: CaseName[];
    suggested: Value;
  })[];
}

export interface Groups {
  a: { cases: number; computed: number };
  b: { cases: number; computed: number };
  features: {
    feature: string;
    kind: string;
    gap: number | null;
    p_value: number | null;
    a: { text: string; missing: number };
    b: { text: string; missing: number };
    distribution: { labels: string[]; a: number[]; b: number[]; ordered: boolean };
  }[];
  quality: {
    measures: {
      name: string;
      a: number | null;
      b: number | null;
      a_error: number | null;
      b_error: number | null;
      unit: string;
      better: string;
    }[];
  } | null;
  fairness: {
    protected: string;
    positive: Value;
    groups: (Record<string, Value> & { value: Value; text: string; cases: number })[];
    measures: { name: string; value: number | null; text: string }[];
  } | null;
}
