/** Questions to the service: typed, cancellable, asked again while an answer is being computed. */

export class Problem extends Error {
  constructor(
    readonly title: string,
    detail: string,
    readonly status: number,
  ) {
    super(detail);
  }
}

const KEY = "vicinal-token";

/** The token comes in the fragment of the first address; it is taken out of it at once. */
export function takeToken(): void {
  const found = /(?:^#|[&?])token=([^&]+)/.exec(location.hash);
  if (!found?.[1]) return;
  sessionStorage.setItem(KEY, decodeURIComponent(found[1]));
  history.replaceState(null, "", location.pathname + location.search);
}

/** A page without an address of its own, such as a frame of a notebook, keeps nothing. */
function keptToken(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** How questions reach the service: by HTTP, or in a notebook by its own channel. */
type Transport = (path: string, init: RequestInit) => Promise<Response>;
let transport: Transport = (path, init) => fetch(path, init);

export function setTransport(other: Transport): void {
  transport = other;
}

export interface Progress {
  message: string;
  progress: number;
}

interface Options {
  signal?: AbortSignal;
  onprogress?: (progress: Progress) => void;
}

export function get<T>(path: string, options: Options = {}): Promise<T> {
  return ask<T>(path, { method: "GET" }, options);
}

export function post<T>(path: string, body: unknown, options: Options = {}): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return ask<T>(path, { method: "POST", headers, body: JSON.stringify(body) }, options);
}

/** Send a file as it is, for example a second table. */
export function postFile<T>(
  path: string,
  file: Blob,
  type: string,
  options: Options = {},
): Promise<T> {
  return ask<T>(path, { method: "POST", headers: { "Content-Type": type }, body: file }, options);
}

async function ask<T>(path: string, init: RequestInit, options: Options): Promise<T> {
  const headers = new Headers(init.headers);
  const token = keptToken();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  for (let tries = 0; ; tries += 1) {
    const answer = await send(path, { ...init, headers, signal: options.signal ?? null });
    if (answer.status === 202) {
      options.onprogress?.((await answer.json()) as Progress);
      await pause(Math.min(250 * 1.4 ** tries, 2000), options.signal);
    } else if ((answer.status === 429 || answer.status === 503) && tries < 4) {
      await pause(1000 * Number(answer.headers.get("Retry-After") ?? 1), options.signal);
    } else if (!answer.ok) {
      throw await problem(answer);
    } else {
      return (await answer.json()) as T;
    }
  }
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await transport(path, init);
  } catch (failure) {
    if (init.signal?.aborted) throw failure;
    throw new Problem("No answer", "The service does not answer. Is it still running?", 0);
  }
}

async function problem(answer: Response): Promise<Problem> {
  try {
    const { title, detail } = (await answer.json()) as { title?: string; detail?: string };
    return new Problem(title ?? answer.statusText, detail ?? answer.statusText, answer.status);
  } catch {
    return new Problem(answer.statusText, `The service answered ${answer.status}.`, answer.status);
  }
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("cancelled", "AbortError"));
    });
  });
}
