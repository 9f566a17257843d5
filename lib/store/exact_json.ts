import { jsonFaultSuffix, lineFaultSuffix } from "./json_fault.ts";

/** An integer that a double cannot represent. */
export class InexactInteger extends Error {
  override readonly name = "InexactInteger";

  constructor(readonly literal: string) {
    super(inexactText(literal));
  }
}

const LITERAL_CHARACTERS_MAX = 40;

/** Returns the end of a sentence that names an inexact integer and a remedy. */
export function inexactText(literal: string): string {
  const shortened = literal.length > LITERAL_CHARACTERS_MAX
    ? `${literal.slice(0, LITERAL_CHARACTERS_MAX)}…`
    : literal;
  return `the integer ${shortened}, which a Number cannot hold exactly: send it as a String, and ` +
    "declare its field as String";
}

/** Throws {@linkcode InexactInteger} if a JSON text contains one outside of strings. */
export function rejectInexactIntegers(text: string): void {
  const literal = inexactIntegerIn(text);
  if (literal !== null) throw new InexactInteger(literal);
}

/** Returns why a JSON text was rejected: `is not valid JSON (line 2, column 7: …)`. */
export const jsonErrorReason = (
  cause: unknown,
  text: string,
  invalid = "is not valid JSON",
): string =>
  cause instanceof InexactInteger ? `has ${cause.message}` : invalid + jsonFaultSuffix(text);

/** Returns why a line was rejected, for a message that already contains the line number. */
export const lineErrorReason = (cause: unknown, line: string): string =>
  cause instanceof InexactInteger
    ? `has ${cause.message}`
    : `is not valid JSON${lineFaultSuffix(line)}`;

/** Number of digits from which an integer may be inexact. */
const INEXACT_DIGITS_MIN = 16;

const DECIMAL = /^[+-]?(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/**
 * Whether a double represents a decimal numeral closely enough. Fractions always count as exact:
 * they are rounded by IEEE 754. An integer is exact if a double has its value, or if it is the
 * notation of a double with up to 17 digits: 2^60 is returned as 1152921504606847000 and is
 * accepted in that notation.
 */
export function isExactNumeral(numeral: string): boolean {
  if (numeral.length < INEXACT_DIGITS_MIN) return true;
  const [, whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(numeral.trim()) ?? [];
  const written = (whole + fraction).replace(/^0+/, "");
  const digits = withoutEndZeros(written);
  const zeros = written.length - digits.length + Number(exponent) - fraction.length;
  if (digits.length < INEXACT_DIGITS_MIN || zeros < 0) return true;
  const double = Math.abs(Number(numeral));
  if (!Number.isFinite(double)) return true; // The size check rejects it.
  return [BigInt(double), double, double.toPrecision(17), double.toPrecision(INEXACT_DIGITS_MIN)]
    .some((text) => digitsOf(String(text)) === digits);
}

/**
 * Parses a number that a person has entered in a form or a table. Returns text that is not a
 * decimal number unchanged, so that the field's validation rejects it. Throws
 * {@linkcode InexactInteger}.
 */
export function parseEnteredNumber(text: string): number | string {
  const number = text.trim() !== "" && DECIMAL.test(text.trim()) ? Number(text) : NaN;
  if (!Number.isFinite(number)) return text;
  if (!isExactNumeral(text)) throw new InexactInteger(text.trim());
  return number;
}

/** Returns the significant digits of a finite number's text. */
const digitsOf = (text: string): string =>
  withoutEndZeros(text.replace(/e.*$/, "").replace(".", ""));

/** Removes trailing zeros. A regular expression would take quadratic time on runs of zeros. */
function withoutEndZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Character codes. */
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;

const EXPONENT = /[eE][+-]?\d+/y;

/**
 * Returns the first inexact integer of a JSON text; null if there is none. Any run of 16 digits
 * includes a character at a multiple of 16, so only these characters are tested.
 */
function inexactIntegerIn(text: string): string | null {
  let scanned = { to: 0, isString: false };
  for (let at = INEXACT_DIGITS_MIN - 1; at < text.length; at += INEXACT_DIGITS_MIN) {
    if (!isDigitOrDot(text.charCodeAt(at))) continue;
    let from = at;
    while (isDigitOrDot(text.charCodeAt(from - 1))) from--;
    while (isDigitOrDot(text.charCodeAt(at + 1))) at++;
    const numeral = numeralAt(text, from, at + 1);
    if (numeral === null) continue;
    scanned = scanStrings(text, scanned.to, from);
    if (scanned.isString || isExactNumeral(numeral)) continue;
    return text[from - 1] === "-" ? `-${numeral}` : numeral;
  }
  return null;
}

const isDigitOrDot = (code: number): boolean => (code >= ZERO && code <= NINE) || code === DOT;

/** Returns a run of digits with its exponent; null if it is short or certainly a fraction. */
function numeralAt(text: string, from: number, to: number): string | null {
  if (to - from < INEXACT_DIGITS_MIN) return null;
  EXPONENT.lastIndex = to;
  const exponent = EXPONENT.exec(text)?.[0] ?? "";
  const run = text.slice(from, to);
  const dot = run.indexOf(".");
  const isFraction = exponent === "" && dot >= 0 && dot < INEXACT_DIGITS_MIN;
  return isFraction ? null : run + exponent;
}

/** Whether a position is in a string. `from` and the returned `to` are outside of strings. */
function scanStrings(
  text: string,
  from: number,
  position: number,
): { to: number; isString: boolean } {
  if (position < from) return { to: from, isString: true };
  for (let to = from;;) {
    const opened = text.indexOf('"', to);
    if (opened < 0 || opened > position) return { to, isString: false };
    let closed = text.indexOf('"', opened + 1);
    while (isEscaped(text, closed)) closed = text.indexOf('"', closed + 1);
    to = closed + 1;
    if (closed > position) return { to, isString: true };
  }
}

/** Whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === "\\") from--;
  return (at - from) % 2 === 1;
}
