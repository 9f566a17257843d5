/** The first syntax error of a JSON text. It does not quote the text itself. */
export interface JsonFault {
  /** Line number, starting at 1. */
  readonly line: number;
  /** Column number in UTF-16 units, starting at 1. */
  readonly column: number;
  readonly kind: JsonFaultKind;
  /** The error as a clause, such as `a colon is expected`. */
  readonly reason: string;
}

/** The kind of an error: an expected part that is missing, or an invalid part. */
export type JsonFaultKind = keyof typeof REASONS;

/** Number of characters after which a text is not checked any further. */
const CHECKED_CHARACTERS_MAX = 1_000_000;

const REASONS = {
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

const FAULT_WHERE_EXPECTED: Readonly<Record<Expected, JsonFaultKind>> = {
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

/** Returns the first syntax error of a text, with a message that is independent of V8; or null. */
export function jsonFault(text: string): JsonFault | null {
  return new JsonReader(text).fault();
}

/** Returns the error as a suffix, ` (line 2, column 7: a value is expected)`, or empty text. */
export function jsonFaultSuffix(text: string): string {
  const fault = jsonFault(text);
  return fault === null ? "" : ` (line ${fault.line}, column ${fault.column}: ${fault.reason})`;
}

/** Returns the error of one line of a file as the end of a message that already names the line. */
export function lineFaultSuffix(line: string): string {
  const fault = jsonFault(line);
  return fault === null ? "" : ` (column ${fault.column}: ${fault.reason})`;
}

/** Reads a text token by token. Does not recurse, so nesting is not limited. */
class JsonReader {
  readonly #text: string;
  readonly #brackets: ("[" | "{")[] = [];
  #offset = 0;
  #expected: Expected = "value";
  #kind: JsonFaultKind | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  fault(): JsonFault | null {
    for (;;) {
      this.#offset = this.#matchEnd(SPACE) ?? this.#offset;
      if (this.#offset > CHECKED_CHARACTERS_MAX) return null;
      const isOver = this.#offset === this.#text.length;
      if (isOver && this.#expected === "end") return null;
      if (isOver) return this.#createFault("cutOff");
      if (!this.#readToken(this.#text[this.#offset]!)) {
        return this.#createFault(this.#kind ?? FAULT_WHERE_EXPECTED[this.#expected]);
      }
    }
  }

  #createFault(kind: JsonFaultKind): JsonFault {
    const before = this.#text.slice(0, this.#offset);
    const line = before.split("\n").length;
    return { line, column: this.#offset - before.lastIndexOf("\n"), kind, reason: REASONS[kind] };
  }

  /** Reads the token that begins with a character. Returns whether it is allowed here. */
  #readToken(char: string): boolean {
    switch (this.#expected) {
      case "colon":
        return char === ":" && this.#advance("value");
      case "next":
        if (char === ",") return this.#advance(this.#brackets.at(-1) === "{" ? "name" : "value");
        return this.#readBracket(char);
      case "first name":
      case "name":
        if (char === '"') return this.#readString("colon");
        return this.#expected === "first name"
          ? this.#readBracket(char)
          : this.#noteTrailingComma(char);
      case "first value":
        return this.#readBracket(char) || this.#readValue(char);
      case "value":
        return this.#readValue(char) || this.#noteTrailingComma(char);
      case "end":
        return false;
    }
  }

  #readValue(char: string): boolean {
    if (char === '"') return this.#readString(this.#expectedAfterValue());
    if (char === "[" || char === "{") {
      this.#brackets.push(char);
      return this.#advance(char === "{" ? "first name" : "first value");
    }
    const end = this.#matchEnd(WORD);
    if (end === null) return false;
    this.#offset = end;
    this.#expected = this.#expectedAfterValue();
    return true;
  }

  #readString(then: Expected): boolean {
    let at = this.#offset + 1;
    for (;; at++) {
      const char = this.#text[at];
      if (char === '"') break;
      if (char === undefined || char < " ") {
        this.#offset = at;
        this.#kind = char === undefined ? "openString" : "control";
        return false;
      }
      if (char !== "\\") continue;
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(this.#text)) {
        this.#offset = at;
        this.#kind = "escape";
        return false;
      }
      at = ESCAPE.lastIndex - 1;
    }
    this.#offset = at + 1;
    this.#expected = then;
    return true;
  }

  #readBracket(char: string): boolean {
    if (char !== (this.#brackets.at(-1) === "{" ? "}" : "]")) return false;
    this.#brackets.pop();
    return this.#advance(this.#expectedAfterValue());
  }

  /** Records a trailing comma as the error if there is one. Always returns false. */
  #noteTrailingComma(char: string): boolean {
    const isAfterComma = this.#expected === "name" || this.#brackets.at(-1) === "[";
    if (isAfterComma && (char === "]" || char === "}")) this.#kind = "comma";
    return false;
  }

  #advance(expected: Expected): true {
    this.#offset++;
    this.#expected = expected;
    return true;
  }

  #expectedAfterValue(): Expected {
    return this.#brackets.length === 0 ? "end" : "next";
  }

  #matchEnd(token: RegExp): number | null {
    token.lastIndex = this.#offset;
    return token.test(this.#text) ? token.lastIndex : null;
  }
}
