/** The state of the page is its address, so that every view can be linked to. */

export interface Route {
  view: string;
  /** What is looked at, for example a case. */
  name: string;
  params: URLSearchParams;
}

/** Read the part of an address after `#`. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = splitOnce(hash.replace(/^#\/?/, ""), "?");
  const [view = "", name = ""] = splitOnce(path, "/");
  return { view: view || "overview", name: decode(name), params: new URLSearchParams(query) };
}

/** The address of a view; parameters that are empty are left out. */
export function address(
  view: string,
  name = "",
  params: Record<string, string | null | undefined> = {},
): string {
  const path = name === "" ? view : `${view}/${encodeURIComponent(name)}`;
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) if (value) query.set(key, value);
  const text = query.toString();
  return `#/${path}${text ? `?${text}` : ""}`;
}

class Current {
  /** A page that has its own address, such as a notebook, is left alone. */
  embedded = false;
  private timer = 0;
  value = $state.raw<Route>(parseRoute(location.hash));

  constructor() {
    const follow = () => {
      if (!this.embedded) this.value = parseRoute(location.hash);
    };
    addEventListener("hashchange", follow);
    addEventListener("popstate", follow);
  }

  param(key: string): string {
    return this.value.params.get(key) ?? "";
  }

  /** Change parameters of this view; moves between views make history, changes of state do not. */
  set(patch: Record<string, string | null | undefined>): void {
    const params = Object.fromEntries(this.value.params);
    this.go(address(this.value.view, this.value.name, { ...params, ...patch }), true);
  }

  go(to: string, replace = false): void {
    this.value = parseRoute(to);
    if (this.embedded) return;
    clearTimeout(this.timer);
    // Browsers refuse hundreds of changes of the address in a few seconds, as dragging makes them.
    if (replace) this.timer = window.setTimeout(() => history.replaceState(null, "", to), 150);
    else history.pushState(null, "", to);
  }
}

export const route = new Current();

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
