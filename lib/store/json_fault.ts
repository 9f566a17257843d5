/** Where a text stops being JSON, for people. Nothing of the text itself is told. */
export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly kind: JsonFaultKind;
  /** The same in words. */
  readonly why: string;
}

/** What is wrong there: what is expected and missing, or what cannot be. */
export type JsonFaultKind = keyof typeof WHY;

/** Of longer texts only the beginning is looked through. */
const LOOKED_MAX = 1_000_000;

const WHY = {
  value: "a value is expected",
  name: "a name in double quotes is expected",
  colon: "a colon is expected",
  next: "a comma, or the end of the list or object, is expected",
  end: "nothing more is expected",
  cutOff: "the text ends too soon",
  openString: "the text ends within a string",
  control: 'a string has a line break or control character: write "\\n" for a line break',
  escape: 'a string has an unknown escape: write "\\\\" for a backslash',
  comma: "there is a comma too many before the bracket",
} as const;

type Expected = "value" | "first value" | "name" | "first name" | "colon" | "next" | "end";

const MISSING: Readonly<Record<Expected, JsonFaultKind>> = {
  "value": "value",
  "first value": "value",
  "name": "name",
  "first name": "name",
  "colon": "colon",
  "next": "next",
  "end": "end",
};

const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * The first fault of a text that `JSON.parse` has refused; null where none is found. Our own reading:
 * what V8 says of it is another text in each of its versions.
 */
export function jsonFault(text: string): JsonFault | null {
  return new JsonReader(text).fault();
}

/** The same as the end of a message: ` (line 2, column 7: a value is expected)`, or nothing. */
export function jsonFaultAside(text: string): string {
  const fault = jsonFault(text);
  return fault === null ? "" : ` (line ${fault.line}, column ${fault.column}: ${fault.why})`;
}

/** The same of one line of a file, whose number is told already. */
export function lineFaultAside(line: string): string {
  const fault = jsonFault(line);
  return fault === null ? "" : ` (column ${fault.column}: ${fault.why})`;
}

/** Reads one token after the other, without recursion: nesting has no limit here. */
class JsonReader {
  readonly #text: string;
  readonly #open: ("[" | "{")[] = [];
  #at = 0;
  #expected: Expected = "value";
  #kind: JsonFaultKind | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  fault(): JsonFault | null {
    for (;;) {
      this.#at = this.#endOf(SPACE) ?? this.#at;
      if (this.#at > LOOKED_MAX) return null;
      const isOver = this.#at === this.#text.length;
      if (isOver && this.#expected === "end") return null;
      if (isOver) return this.#found("cutOff");
      if (!this.#token(this.#text[this.#at]!)) {
        return this.#found(this.#kind ?? MISSING[this.#expected]);
      }
    }
  }

  #found(kind: JsonFaultKind): JsonFault {
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    return { line, column: this.#at - before.lastIndexOf("\n"), kind, why: WHY[kind] };
  }

  /** Whether what begins with this character may stand here, and is read. */
  #token(char: string): boolean {
    switch (this.#expected) {
      case "colon":
        return char === ":" && this.#step("value");
      case "next":
        if (char === ",") return this.#step(this.#open.at(-1) === "{" ? "name" : "value");
        return this.#close(char);
      case "first name":
      case "name":
        if (char === '"') return this.#string("colon");
        return this.#expected === "first name" ? this.#close(char) : this.#isBehindComma(char);
      case "first value":
        return this.#close(char) || this.#value(char);
      case "value":
        return this.#value(char) || this.#isBehindComma(char);
      case "end":
        return false;
    }
  }

  #value(char: string): boolean {
    if (char === '"') return this.#string(this.#behindValue());
    if (char === "[" || char === "{") {
      this.#open.push(char);
      return this.#step(char === "{" ? "first name" : "first value");
    }
    const end = this.#endOf(WORD);
    if (end === null) return false;
    this.#at = end;
    this.#expected = this.#behindValue();
    return true;
  }

  #string(then: Expected): boolean {
    let at = this.#at + 1;
    for (;; at++) {
      const char = this.#text[at];
      if (char === '"') break;
      if (char === undefined || char < " ") {
        this.#at = at;
        this.#kind = char === undefined ? "openString" : "control";
        return false;
      }
      if (char !== "\\") continue;
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(this.#text)) {
        this.#at = at;
        this.#kind = "escape";
        return false;
      }
      at = ESCAPE.lastIndex - 1;
    }
    this.#at = at + 1;
    this.#expected = then;
    return true;
  }

  #close(char: string): boolean {
    if (char !== (this.#open.at(-1) === "{" ? "}" : "]")) return false;
    this.#open.pop();
    return this.#step(this.#behindValue());
  }

  /** Nothing can end behind a comma. Says so, and is always false. */
  #isBehindComma(char: string): boolean {
    const isAfterComma = this.#expected === "name" || this.#open.at(-1) === "[";
    if (isAfterComma && (char === "]" || char === "}")) this.#kind = "comma";
    return false;
  }

  #step(expected: Expected): true {
    this.#at++;
    this.#expected = expected;
    return true;
  }

  #behindValue(): Expected {
    return this.#open.length === 0 ? "end" : "next";
  }

  #endOf(token: RegExp): number | null {
    token.lastIndex = this.#at;
    return token.test(this.#text) ? token.lastIndex : null;
  }
}
