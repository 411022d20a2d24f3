/** One case in a notebook: the same view, whose questions go through the notebook's own channel. */

import { mount, unmount } from "svelte";
import { setTransport } from "./api/client";
import style from "./style/base.css?inline";
import { route } from "./state/route.svelte";
import { session } from "./state/session.svelte";
import Widget from "./Widget.svelte";

/** What anywidget gives: a channel to Python, and values that both sides know. */
interface Channel {
  get(name: string): unknown;
  send(content: unknown): void;
  on(event: string, heard: (content: Reply) => void): void;
  off(event: string, heard: (content: Reply) => void): void;
}
interface Reply {
  id: number;
  status: number;
  body: unknown;
}

let asked = 0;

/** Send requests over the channel; answers come in any order, known by their numbers. */
function overChannel(channel: Channel) {
  const waiting = new Map<number, (answer: Response) => void>();
  const heard = ({ id, status, body }: Reply) => {
    const headers = { "Content-Type": "application/json" };
    waiting.get(id)?.(new Response(JSON.stringify(body), { status, headers }));
    waiting.delete(id);
  };
  channel.on("msg:custom", heard);
  setTransport((path, init) => {
    const id = (asked += 1);
    const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : null;
    return new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      init.signal?.addEventListener("abort", () => {
        waiting.delete(id);
        reject(new DOMException("cancelled", "AbortError"));
      });
      channel.send({ id, path, body });
    });
  });
  return () => channel.off("msg:custom", heard);
}

/** The theme of JupyterLab, or that of the system. */
function themeOfPage(): string {
  const light = document.body.dataset["jpThemeLight"];
  return light === undefined ? "light dark" : light === "true" ? "light" : "dark";
}

function render({ model, el }: { model: Channel; el: HTMLElement }): () => void {
  route.embedded = true;
  const stop = overChannel(model);
  route.go(String(model.get("address")));
  // In a shadow root the styles of the notebook and of the view do not touch each other.
  const root = el.attachShadow({ mode: "open" });
  const sheet = document.createElement("style");
  sheet.textContent = style;
  const target = document.createElement("div");
  target.className = "vicinal-widget";
  target.style.colorScheme = themeOfPage();
  root.append(sheet, target);
  target.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='#/']");
    if (!link) return;
    event.preventDefault();
    route.go(link.getAttribute("href") ?? "");
  });
  void session.load();
  const view = mount(Widget, { target });
  return () => {
    stop();
    void unmount(view);
  };
}

export default { render };
