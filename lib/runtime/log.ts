import type { LogLevel } from "./config.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Fields of a line in addition to time, level and message. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The fields of a request's line. Their values must not contain characters that JSON escapes. */
export interface RequestLine {
  readonly requestId: string;
  readonly operation: string | null;
  readonly method: string;
  readonly status: number;
  /** Milliseconds until the answer. */
  readonly ms: number;
  readonly project: string | null;
  readonly caller: string | null;
  /** Id of the account whose session or token was used. */
  readonly account: string | null;
  readonly problem: string | null;
}

/** A log with one JSON object per line. Callers must not pass bodies or credentials. */
export interface Log extends Disposable {
  write(level: LogLevel, message: string, fields?: LogFields): void;
  request(line: RequestLine): void;
  flush(): void;
}

const REQUEST_LEVEL = LEVELS.indexOf("info");

/** Quotes a text that needs no escapes, because `JSON.stringify` would be slower. */
const quote = (text: string | null): string => text === null ? "null" : `"${text}"`;

const FLUSH_MS = 100;
const FLUSH_LENGTH = 64 * 1024;

/** Writes collected lines ten times a second, as a write per request is slow; errors at once. */
export function createLog(least: LogLevel, sink: (text: string) => void): Log {
  const threshold = LEVELS.indexOf(least);
  let waiting = "";
  let [lastMs, lastTime] = [0, ""];

  /** Returns the current time, formatted once per millisecond. */
  function timeText(): string {
    const now = Date.now();
    if (now !== lastMs) [lastMs, lastTime] = [now, new Date(now).toISOString()];
    return lastTime;
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  let lostLines = 0;

  /** Writes the collected lines. After a failure, the next write reports how many were lost. */
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === "") return;
    const text = waiting;
    waiting = "";
    try {
      sink(
        lostLines === 0
          ? text
          : `\n${lineOf("warn", "Lines of the log were lost", { lost: lostLines })}${text}`,
      );
      lostLines = 0;
    } catch {
      // Requests must not fail if, for example, the disk is full.
      lostLines += text.split("\n").length - 1;
    }
  }

  function lineOf(level: LogLevel, message: string, fields?: LogFields): string {
    const head = `{"time":"${timeText()}","level":"${level}","message":${JSON.stringify(message)}`;
    const rest = fields === undefined ? "}" : JSON.stringify(fields).slice(1);
    return `${head}${rest.length > 1 ? "," : ""}${rest}\n`;
  }

  function append(text: string): void {
    waiting += text;
    if (waiting.length > FLUSH_LENGTH) flush();
    else timer ??= setTimeout(flush, FLUSH_MS);
  }

  return {
    write(level, message, fields) {
      if (LEVELS.indexOf(level) < threshold) return;
      append(lineOf(level, message, fields));
      if (level === "error") flush();
    },
    request(line) {
      if (threshold > REQUEST_LEVEL) return;
      const { operation, project, caller, account, problem } = line;
      append(
        `{"time":"${timeText()}","level":"info","message":"request"` +
          `,"requestId":"${line.requestId}","operation":${quote(operation)}` +
          `,"method":"${line.method}","status":${line.status},"ms":${line.ms}` +
          `,"project":${quote(project)},"caller":${quote(caller)}` +
          `,"account":${quote(account)},"problem":${quote(problem)}}\n`,
      );
    },
    flush,
    [Symbol.dispose]: flush,
  };
}

/** A log for tests and commands that ignores all lines. */
export const silentLog: Log = { write() {}, request() {}, flush() {}, [Symbol.dispose]() {} };
