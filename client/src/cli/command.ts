/** What the value of an option is, and so how it is read. */
export type OptionType =
  | "text"
  /** As it stands, `@FILE`, or `-` for standard input. */
  | "long"
  | "number"
  | "boolean"
  /** Given as often as there are values. */
  | "list"
  /** JSON as it stands, `@FILE`, or `-` for standard input. */
  | "json"
  /** As JSON, or `name=value` as often as there are conditions. */
  | "filter"
  /** `@FILE` or `-`, so that no other process sees it. */
  | "secret";

export interface CommandOption {
  /** As it is called on the command line, without the dashes. */
  readonly option: string;
  /** As the operation calls it. */
  readonly name: string;
  readonly in: "path" | "query" | "header" | "body";
  readonly type: OptionType;
  readonly required: boolean;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Whether `--no-…` sends null. */
  readonly nullable?: boolean;
}

/** One operation, as it is called from the command line. */
export interface Command {
  readonly group: string;
  readonly verb: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly options: readonly CommandOption[];
  readonly takesBody: boolean;
  /** Whether it is a page of a list that has more of them. */
  readonly isPaged: boolean;
  /** Whether the answer is a file, without an envelope. */
  readonly isFile: boolean;
  readonly example: string;
  /** What stands in it without an option. */
  readonly operand?: string;
}

export interface CommandTable {
  /** What each is about, by name. */
  readonly groups: Readonly<Record<string, string>>;
  readonly commands: readonly Command[];
}

/** The command does not say what to do; its message does. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Whose help says more. */
  readonly about: string;

  constructor(message: string, about = "") {
    super(message);
    this.about = about;
  }
}
