import { jsonFaultAside, lineFaultAside } from "./json_fault.ts";

/** Thrown for an integer that a double cannot hold. */
export class InexactInteger extends Error {
  override readonly name = "InexactInteger";

  constructor(readonly literal: string) {
    super(inexactText(literal));
  }
}

const LITERAL_SHOWN_MAX = 40;

/** Says what is wrong with such an integer and what to do, as the end of a sentence. */
export function inexactText(literal: string): string {
  const shown = literal.length > LITERAL_SHOWN_MAX
    ? `${literal.slice(0, LITERAL_SHOWN_MAX)}…`
    : literal;
  return `the integer ${shown}, which a Number cannot hold exactly: send it as a String, and ` +
    "declare its field as String";
}

/** Throws {@linkcode InexactInteger} for a JSON text in which there is one, outside of its strings. */
export function refuseInexactIntegers(text: string): void {
  const literal = inexactIntegerIn(text);
  if (literal !== null) throw new InexactInteger(literal);
}

/**
 * Says why a JSON text was refused, as what follows the text's name: `is not valid JSON (line 2,
 * column 7: …)`.
 */
export const jsonRefusal = (
  cause: unknown,
  text: string,
  invalid = "is not valid JSON",
): string =>
  cause instanceof InexactInteger ? `has ${cause.message}` : invalid + jsonFaultAside(text);

/** Says the same of one line of a file, whose number the message names already. */
export const lineRefusal = (cause: unknown, line: string): string =>
  cause instanceof InexactInteger
    ? `has ${cause.message}`
    : `is not valid JSON${lineFaultAside(line)}`;

/** Integers of fewer digits are doubles. */
const DIGITS_MIN = 16;

const DECIMAL = /^[+-]?(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/**
 * Whether reading a decimal numeral as a double keeps its value. Fractions are rounded by the rules
 * of IEEE 754, so they count as kept. An integer is kept if a double has its value, or if it is how
 * a double is written with up to 17 digits: 2^60 is answered as 1152921504606847000, and can be sent
 * back like that.
 */
export function isExactNumeral(numeral: string): boolean {
  if (numeral.length < DIGITS_MIN) return true;
  const [, whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(numeral.trim()) ?? [];
  const written = (whole + fraction).replace(/^0+/, "");
  const digits = withoutEndZeros(written);
  const zeros = written.length - digits.length + Number(exponent) - fraction.length;
  if (digits.length < DIGITS_MIN || zeros < 0) return true;
  const double = Math.abs(Number(numeral));
  if (!Number.isFinite(double)) return true; // It is refused for its size.
  return [BigInt(double), double, double.toPrecision(17), double.toPrecision(DIGITS_MIN)]
    .some((text) => digitsOf(String(text)) === digits);
}

/**
 * The number that a person has entered in a form or a table. What is no decimal number stays a text,
 * for the check of its field to refuse. Throws {@linkcode InexactInteger}.
 */
export function enteredNumber(text: string): number | string {
  const number = text.trim() !== "" && DECIMAL.test(text.trim()) ? Number(text) : NaN;
  if (!Number.isFinite(number)) return text;
  if (!isExactNumeral(text)) throw new InexactInteger(text.trim());
  return number;
}

/** Significant digits of a finite number's text. */
const digitsOf = (text: string): string =>
  withoutEndZeros(text.replace(/e.*$/, "").replace(".", ""));

/** A regular expression would look at each run of zeros once for each zero. */
function withoutEndZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;

const EXPONENT = /[eE][+-]?\d+/y;

/**
 * The first integer of a JSON text that no double holds, or null. Of a run of 16 digits every 16th
 * character of the text must be part, so the others are not looked at.
 */
function inexactIntegerIn(text: string): string | null {
  let scanned = { to: 0, isString: false };
  for (let at = DIGITS_MIN - 1; at < text.length; at += DIGITS_MIN) {
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

/** A run of digits with its exponent; null where it is short, or a fraction beyond doubt. */
function numeralAt(text: string, from: number, to: number): string | null {
  if (to - from < DIGITS_MIN) return null;
  EXPONENT.lastIndex = to;
  const exponent = EXPONENT.exec(text)?.[0] ?? "";
  const run = text.slice(from, to);
  const dot = run.indexOf(".");
  const isFraction = exponent === "" && dot >= 0 && dot < DIGITS_MIN;
  return isFraction ? null : run + exponent;
}

/**
 * Whether a place lies in a string. No string begins before `from` and ends behind it, and the same
 * is true of `to`, where the search for the next place starts.
 */
function scanStrings(
  text: string,
  from: number,
  place: number,
): { to: number; isString: boolean } {
  if (place < from) return { to: from, isString: true };
  for (let to = from;;) {
    const opened = text.indexOf('"', to);
    if (opened < 0 || opened > place) return { to, isString: false };
    let closed = text.indexOf('"', opened + 1);
    while (isEscaped(text, closed)) closed = text.indexOf('"', closed + 1);
    to = closed + 1;
    if (closed > place) return { to, isString: true };
  }
}

/** Whether an odd number of backslashes is before it. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === "\\") from--;
  return (at - from) % 2 === 1;
}
