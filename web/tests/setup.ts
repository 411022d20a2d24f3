/** What jsdom lacks: a page that never changes its size needs no more of this. */
globalThis.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
