/** Values as short text. Data reaches the page only as text nodes; this decides which text. */

export type Value = string | number | boolean | null;

const CONTROLS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\p{Surrogate}/gu;
const MINUS = "\u2212";
/** A date and a time of day as JSON has them. */
const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/;

/** Text that any page may show: a reader sees that a control character was there. */
export function clean(text: string): string {
  return text.replace(CONTROLS, "\ufffd");
}

/** Cut long text by whole characters, with an ellipsis. */
export function truncate(text: string, widest: number): string {
  if (text.length <= widest) return text;
  const whole = Array.from(text.slice(0, 2 * widest));
  return whole.length <= widest && text.length <= 2 * widest
    ? text
    : whole.slice(0, widest - 1).join("") + "…";
}

/** A number with four digits, or as a whole number where these say enough. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? `${MINUS}∞` : "?";
  value += 0; // no minus before zero
  const size = Math.abs(value);
  if (size < 1e9 && (size >= 1e4 || Number.isInteger(value))) {
    return signed(Math.round(value).toLocaleString("en-US", { useGrouping: size >= 1e4 }));
  }
  if (size >= 1e9 || (size > 0 && size < 1e-4)) return signed(value.toExponential(2));
  return signed(String(Number(value.toPrecision(4))));
}

/** Any value of a table as one line of text; a missing value is a question mark. */
export function formatValue(value: Value | undefined, widest = 60): string {
  if (value === null || value === undefined) return "?";
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  return value === "" ? "(empty)" : truncate(clean(withoutMidnight(value)), widest);
}

/** A predicted value: averages of times leave fractions of seconds that nobody reads. */
export function formatPredicted(value: Value | undefined, widest = 60): string {
  const time = typeof value === "string" ? TIME.exec(value) : null;
  return formatValue(time ? `${time[1]}T${time[2]}${time[4] ?? ""}` : value, widest);
}

/** A duration as people write it; those that are predicted have fractions that nobody reads. */
export function formatDuration(seconds: number, predicted = false): string {
  const size = Math.abs(seconds);
  if (!Number.isFinite(size) || size >= 1e14) return formatNumber(seconds);
  const exact = predicted ? (size >= 60 ? Math.round(size) : Number(size.toPrecision(4))) : size;
  const days = Math.floor(exact / 86400);
  const pair = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(exact / 3600) % 24, Math.floor(exact / 60) % 60];
  const rest = Number((exact % 60).toFixed(6));
  const clock = `${hours}:${pair(minutes)}:${rest < 10 ? "0" : ""}${rest}`;
  const text = days
    ? `${days.toLocaleString("en-US")} day${days > 1 ? "s" : ""}, ${clock}`
    : clock;
  return seconds >= 0 || exact === 0 ? text : days ? `${MINUS}(${text})` : MINUS + text;
}

/** Times as people write them, and dates without the midnight that JSON gives them. */
function withoutMidnight(text: string): string {
  const time = TIME.exec(text);
  if (!time) return text;
  const [, date, clock, fraction = "", zone = ""] = time;
  const rest = clock + fraction + zone;
  return rest === "00:00:00" ? date! : `${date} ${rest}`;
}

export function formatPercent(share: number | null | undefined, digits = 1): string {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const percent = 100 * share;
  if (percent === 0 || percent === 100) return `${percent} %`;
  const least = 10 ** -digits;
  if (percent < 0) {
    return percent > -least ? `> ${MINUS}${least} %` : `${MINUS}${(-percent).toFixed(digits)} %`;
  }
  if (percent < least) return `< ${least} %`;
  if (percent > 100 - least) return `> ${100 - least} %`;
  return `${percent.toFixed(digits)} %`;
}

/** A difference, with its sign and as many digits as make sense among numbers of this size. */
export function formatSigned(value: number, scale: number): string {
  const digits = Math.min(8, Math.max(0, 1 - Math.floor(Math.log10(Math.abs(scale) || 1))));
  const size = Number(Math.abs(value).toFixed(digits));
  if (size === 0) return "0";
  const grouped = { minimumFractionDigits: digits, useGrouping: size >= 1e4 };
  return (value < 0 ? MINUS : "+") + size.toLocaleString("en-US", grouped);
}

/** A number with as many digits as the largest of its kind needs, so that they line up. */
export function formatAmong(value: number, largest: number): string {
  const digits = Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(largest || 1))));
  const size = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return signed(value.toLocaleString("en-US", { ...size, useGrouping: largest >= 1e4 }));
}

/** A number of which three digits say enough. */
export function formatShort(value: number): string {
  return formatNumber(Number(value.toPrecision(3)));
}

/** A p-value, or any number of which two digits say enough. */
export function formatP(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return value < 0.001 ? "< 0.001" : formatNumber(Number(value.toPrecision(2)));
}

/** The same in a sentence, with its sign. */
export function sayP(value: number): string {
  return value < 0.001 ? "p < 0.001" : `p = ${formatP(value)}`;
}

/** A sentence of the service on its own line. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

function signed(text: string): string {
  return text.replaceAll("-", MINUS);
}
