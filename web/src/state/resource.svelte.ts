/** An answer of the service that follows the state it is asked with. */

export interface Resource<T> {
  readonly data: T | null;
  readonly error: Error | null;
  readonly busy: boolean;
}

type Ask<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Ask whenever `source` changes; the last answer stays until the next one arrives, and a question
 * that is no longer wanted is cancelled. Call it while a component is set up. `source` reads the
 * state that the question depends on and returns the question, or null for none.
 */
export function resource<T>(source: () => Ask<T> | null, delay = 0): Resource<T> {
  let data = $state.raw<T | null>(null);
  let error = $state.raw<Error | null>(null);
  let busy = $state(false);
  $effect(() => {
    const ask = source();
    if (!ask) {
      data = null;
      error = null;
      busy = false;
      return;
    }
    const stop = new AbortController();
    busy = true;
    const timer = setTimeout(() => {
      ask(stop.signal).then(
        (answer) => {
          if (!stop.signal.aborted) [data, error, busy] = [answer, null, false];
        },
        (problem: unknown) => {
          if (!stop.signal.aborted) [error, busy] = [problem as Error, false];
        },
      );
    }, delay);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  });
  return {
    get data() {
      return data;
    },
    get error() {
      return error;
    },
    get busy() {
      return busy;
    },
  };
}
