/** Which rows of a long table to show. */

/** Browsers draw nothing beyond some 17 million pixels; longer tables scroll faster instead. */
export const TALLEST = 8_000_000;

/** Height of what is scrolled. */
export function scrollHeight(count: number, rowHeight: number, extra: number): number {
  return Math.min(count * rowHeight + extra, TALLEST);
}

/** The first row to show. */
export function firstRow(
  scrollTop: number,
  count: number,
  rowHeight: number,
  visible: number,
  viewHeight: number,
  extra: number,
): number {
  const last = Math.max(0, count - visible);
  const height = scrollHeight(count, rowHeight, extra);
  if (height < TALLEST) return Math.min(last, Math.round(scrollTop / rowHeight));
  return Math.round(last * Math.min(1, scrollTop / Math.max(1, height - viewHeight)));
}

/** Offsets of the pages that hold these rows. */
export function pagesOf(first: number, end: number, size: number): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(first / size) * size; page < end; page += size) pages.push(page);
  return pages;
}
