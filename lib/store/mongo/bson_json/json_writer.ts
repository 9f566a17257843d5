/** Buffer that all writers share: a writer must finish before the next one starts. */
const SCRATCH = new Uint8Array(1024 * 1024);

/**
 * Number of bytes that are reserved after an opening bracket, a comma and a string, for values of
 * bounded length and punctuation, which do not reserve space themselves.
 */
const RESERVE_BYTES = 64;

const UTF8 = new TextDecoder();
const [QUOTE, COMMA, COLON, MINUS, DOT] = [0x22, 0x2c, 0x3a, 0x2d, 0x2e];
const [ZERO, TIME, ZULU] = [0x30, 0x54, 0x5a];
const HEX = new TextEncoder().encode("0123456789abcdef");

/** The escape sequence of each byte in `JSON.stringify`; null for bytes without one. */
const ESCAPES = Array.from({ length: 256 }, (_, byte) => {
  const text = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
  return text.length === 1 ? null : text;
});
const IS_PLAIN = Uint8Array.from(ESCAPES, (escape) => escape === null ? 1 : 0);

const MS_PER_DAY = 86_400_000;
const DATE_MS_MAX = 8.64e15;
const YEAR_0_MS = Date.parse("0000-01-01");
const YEAR_10000_MS = Date.parse("+010000-01-01");

/**
 * Writes JSON as bytes and decodes them once at the end, which is more than twice as fast as
 * joining strings. A comma follows every member and element; a closing bracket replaces the last
 * one.
 */
export class JsonWriter {
  #out: Uint8Array;
  #at = 0;

  constructor(likelyBytes: number) {
    this.#out = likelyBytes > SCRATCH.length ? new Uint8Array(likelyBytes) : SCRATCH;
  }

  get length(): number {
    return this.#at;
  }

  /** Returns the written text. Invalid UTF-8 becomes U+FFFD. */
  text(): string {
    return UTF8.decode(this.#out.subarray(0, this.#at));
  }

  /** Removes and returns the bytes from an offset on. */
  cut(from: number): Uint8Array {
    const bytes = this.#out.slice(from, this.#at);
    this.#at = from;
    return bytes;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#out.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  open(bracket: "{" | "["): void {
    this.#reserve(RESERVE_BYTES);
    this.#out[this.#at++] = bracket.charCodeAt(0);
  }

  close(bracket: "}" | "]"): void {
    if (this.#out[this.#at - 1] === COMMA) this.#at--;
    this.#out[this.#at++] = bracket.charCodeAt(0);
  }

  colon(): void {
    this.#out[this.#at++] = COLON;
  }

  comma(): void {
    this.#reserve(RESERVE_BYTES);
    this.#out[this.#at++] = COMMA;
  }

  ascii(text: string): void {
    this.#reserve(text.length + RESERVE_BYTES);
    const out = this.#out;
    const at = this.#at;
    for (let i = 0; i < text.length; i++) out[at + i] = text.charCodeAt(i);
    this.#at = at + text.length;
  }

  string(bytes: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from + RESERVE_BYTES);
    let out = this.#out;
    let at = this.#at;
    out[at++] = QUOTE;
    for (let p = from; p < to; p++) {
      const byte = bytes[p]!;
      if (IS_PLAIN[byte] === 1) {
        out[at++] = byte;
        continue;
      }
      this.#at = at;
      this.ascii(ESCAPES[byte]!);
      this.#reserve(to - p + RESERVE_BYTES);
      out = this.#out;
      at = this.#at;
    }
    out[at++] = QUOTE;
    this.#at = at;
  }

  hex(bytes: Uint8Array, from: number, to: number): void {
    const out = this.#out;
    let at = this.#at;
    out[at++] = QUOTE;
    for (let p = from; p < to; p++) {
      out[at++] = HEX[bytes[p]! >> 4]!;
      out[at++] = HEX[bytes[p]! & 15]!;
    }
    out[at++] = QUOTE;
    this.#at = at;
  }

  number(value: number): void {
    if ((value | 0) === value && value !== 0) this.integer(value);
    else if (!Number.isFinite(value)) this.ascii("null");
    else this.ascii(Object.is(value, -0) ? "-0" : String(value));
  }

  integer(value: number): void {
    const out = this.#out;
    let rest = value;
    if (rest < 0) {
      out[this.#at++] = MINUS;
      rest = -rest;
    }
    let digits = 1;
    for (let power = 10; rest >= power; power *= 10) digits++;
    const behind = this.#at + digits;
    for (let at = behind - 1; at >= this.#at; at--) {
      const next = Math.floor(rest / 10);
      out[at] = ZERO + rest - next * 10;
      rest = next;
    }
    this.#at = behind;
  }

  /** Writes a date as ISO 8601 text in UTC; null outside the range of JavaScript's dates. */
  date(ms: number): void {
    if (ms >= YEAR_0_MS && ms < YEAR_10000_MS) return this.#date(ms);
    this.ascii(Math.abs(ms) <= DATE_MS_MAX ? `"${new Date(ms).toISOString()}"` : "null");
  }

  #date(ms: number): void {
    const days = Math.floor(ms / MS_PER_DAY);
    const time = ms - days * MS_PER_DAY;
    const { year, month, day } = civil(days);
    this.#out[this.#at++] = QUOTE;
    this.#digits(year, 4, MINUS);
    this.#digits(month, 2, MINUS);
    this.#digits(day, 2, TIME);
    this.#digits((time / 3_600_000) | 0, 2, COLON);
    this.#digits(((time / 60_000) | 0) % 60, 2, COLON);
    this.#digits(((time / 1_000) | 0) % 60, 2, DOT);
    this.#digits(time % 1_000, 3, ZULU);
    this.#out[this.#at++] = QUOTE;
  }

  #digits(value: number, count: number, behind: number): void {
    const out = this.#out;
    const end = this.#at + count;
    for (let at = end - 1, rest = value; at >= this.#at; at--) {
      const next = (rest / 10) | 0;
      out[at] = ZERO + rest - next * 10;
      rest = next;
    }
    out[end] = behind;
    this.#at = end + 1;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#out.length) return;
    const larger = new Uint8Array(2 * (this.#at + bytes));
    larger.set(this.#out.subarray(0, this.#at));
    this.#out = larger;
  }
}

/** Returns the date of a day, counted from 1970-01-01, by Howard Hinnant's `civil_from_days`. */
function civil(days: number) {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = ((dayOfEra - ((dayOfEra / 1_460) | 0) + ((dayOfEra / 36_524) | 0) -
    ((dayOfEra / 146_096) | 0)) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0));
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
