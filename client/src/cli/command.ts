/** The type of an option's value, which determines how it is read. */
export type OptionType =
  | "text"
  /** A literal text, `@FILE`, or `-` for standard input. */
  | "long"
  | "number"
  | "boolean"
  /** An option that can be repeated. */
  | "list"
  /** Literal JSON, `@FILE`, or `-` for standard input. */
  | "json"
  /** JSON, or `name=value`, which can be repeated. */
  | "filter"
  /** `@FILE` or `-`, because other processes see arguments. */
  | "secret";

export interface CommandOption {
  /** Name on the command line, without dashes. */
  readonly option: string;
  /** Name of the parameter or member in the operation. */
  readonly name: string;
  readonly in: "path" | "query" | "header" | "body";
  readonly type: OptionType;
  readonly required: boolean;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Whether `--no-…` sends null. */
  readonly nullable?: boolean;
}

export interface Command {
  readonly group: string;
  readonly verb: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly options: readonly CommandOption[];
  readonly takesBody: boolean;
  readonly isPaged: boolean;
  /** Whether the answer is a file, without an envelope. */
  readonly isFile: boolean;
  readonly example: string;
  /** Placeholder of the argument that is not an option. */
  readonly operand?: string;
}

export interface CommandTable {
  readonly groups: Readonly<Record<string, string>>;
  readonly commands: readonly Command[];
}

/** Invalid arguments. The message says what to change. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Name of the command or group whose help is suggested. */
  readonly helpTopic: string;

  constructor(message: string, helpTopic = "") {
    super(message);
    this.helpTopic = helpTopic;
  }
}
