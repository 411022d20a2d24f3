/** What the whole page is about: the model, its columns, the target. */

import { get, post, type Progress } from "../api/client";
import type { Column, ModelEntry, Schema } from "../api/types";
import { address, route } from "./route.svelte";

const UNTARGETED = new Set(["anomalies", "conviction", "neighbors", "density", "impute", "drift"]);

const TIMES = new Set(["date", "datetime", "time", "duration"]);

class Session {
  models = $state.raw<ModelEntry[]>([]);
  private loaded = $state.raw<Schema | null>(null);
  error = $state.raw<Error | null>(null);

  readonly model = $derived(
    this.models.find((one) => one.name === route.param("model")) ?? this.models[0] ?? null,
  );
  /** The columns of this model; none while those of another one are still there. */
  readonly schema = $derived(this.loaded?.model === this.model?.name ? this.loaded : null);
  readonly target = $derived(route.param("target") || this.schema?.target || "");
  readonly targetColumn = $derived(this.column(this.target));
  /** Whether the target is a class, by its kind; numbers are the others. */
  readonly classes = $derived(this.targetColumn ? isClass(this.targetColumn) : false);
  readonly features = $derived(
    (this.schema?.columns ?? []).filter((column) => column.name !== this.target),
  );

  column(name: string): Column | undefined {
    return this.schema?.columns.find((column) => column.name === name);
  }

  /** Whether the numbers of a column are durations in seconds. */
  inSeconds(name: string | undefined): boolean {
    return name !== undefined && this.column(name)?.input.type === "duration";
  }

  /** Whether differences of the target are durations in seconds, as those of dates are. */
  get errorsInSeconds(): boolean {
    return TIMES.has(this.targetColumn?.input.type ?? "");
  }

  async load(): Promise<void> {
    try {
      this.models = (await get<{ models: ModelEntry[] }>("v1/models")).models;
    } catch (problem) {
      this.error = problem as Error;
    }
  }

  async loadSchema(): Promise<void> {
    if (!this.model || this.schema) return;
    try {
      this.loaded = await get<Schema>(this.path("schema"));
    } catch (problem) {
      this.error = problem as Error;
    }
  }

  path(question: string): string {
    return `v1/models/${encodeURIComponent(this.model?.name ?? "")}/${question}`;
  }

  /** Ask about this model; the target is added where a question has one. */
  ask<T>(
    question: string,
    body: object,
    signal?: AbortSignal,
    onprogress?: (progress: Progress) => void,
  ): Promise<T> {
    const asked = UNTARGETED.has(question) ? body : this.request(body);
    return post<T>(this.path(question), asked, {
      ...(signal && { signal }),
      ...(onprogress && { onprogress }),
    });
  }

  request(body: object): object {
    return this.target ? { ...body, target: this.target } : body;
  }

  /** The address of a view of the same model and target. */
  link(view: string, name = "", params: Record<string, string | null | undefined> = {}): string {
    const kept = { model: route.param("model"), target: route.param("target") };
    return address(view, name, { ...kept, ...params });
  }

  caseLink(number: number | null): string {
    return this.link("case", String(number ?? ""));
  }
}

export function isClass(column: Column): boolean {
  return (
    column.kind === "nominal" ||
    column.input.type === "category" ||
    column.input.type === "boolean"
  );
}

export const session = new Session();
