import type { LogLevel } from "./config.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** What a line may say beside time and level. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What is told of every request. None of it can hold a character that JSON escapes. */
export interface RequestLine {
  readonly requestId: string;
  readonly operation: string | null;
  readonly method: string;
  readonly status: number;
  /** Milliseconds until it was answered. */
  readonly ms: number;
  readonly project: string | null;
  readonly caller: string | null;
  /** Who asked, where it was an account, by its session or token. */
  readonly account: string | null;
  readonly problem: string | null;
}

/** One JSON object per line. Callers pass identifiers and figures, never bodies or credentials. */
export interface Log extends Disposable {
  write(level: LogLevel, message: string, fields?: LogFields): void;
  request(line: RequestLine): void;
  /** Hands over what is waiting. */
  flush(): void;
}

const REQUESTS_AT = LEVELS.indexOf("info");

/** Of a text that needs no escapes: JSON's own takes four times as long for a line. */
const quoted = (text: string | null): string => text === null ? "null" : `"${text}"`;

const FLUSH_MS = 100;
const FLUSH_LENGTH = 64 * 1024;

/**
 * Lines are collected and handed over ten times a second: a write per request would cost as much
 * as the request. Errors go out at once.
 */
export function createLog(least: LogLevel, sink: (text: string) => void): Log {
  const threshold = LEVELS.indexOf(least);
  let waiting = "";
  let [lastMs, lastTime] = [0, ""];

  /** Many lines are of the same millisecond. */
  function timeText(): string {
    const now = Date.now();
    if (now !== lastMs) [lastMs, lastTime] = [now, new Date(now).toISOString()];
    return lastTime;
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  let lost = 0;

  /** Of lines that are lost the next ones tell; the last may have been cut off. */
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === "") return;
    const text = waiting;
    waiting = "";
    try {
      sink(
        lost === 0 ? text : `\n${lineOf("warn", "Lines of the log were lost", { lost })}${text}`,
      );
      lost = 0;
    } catch {
      // On a full disk, say: no request fails for that.
      lost += text.split("\n").length - 1;
    }
  }

  function lineOf(level: LogLevel, message: string, fields?: LogFields): string {
    const head = `{"time":"${timeText()}","level":"${level}","message":${JSON.stringify(message)}`;
    const rest = fields === undefined ? "}" : JSON.stringify(fields).slice(1);
    return `${head}${rest.length > 1 ? "," : ""}${rest}\n`;
  }

  function add(text: string): void {
    waiting += text;
    if (waiting.length > FLUSH_LENGTH) flush();
    else timer ??= setTimeout(flush, FLUSH_MS);
  }

  return {
    write(level, message, fields) {
      if (LEVELS.indexOf(level) < threshold) return;
      add(lineOf(level, message, fields));
      if (level === "error") flush();
    },
    request(line) {
      if (threshold > REQUESTS_AT) return;
      const { operation, project, caller, account, problem } = line;
      add(
        `{"time":"${timeText()}","level":"info","message":"request"` +
          `,"requestId":"${line.requestId}","operation":${quoted(operation)}` +
          `,"method":"${line.method}","status":${line.status},"ms":${line.ms}` +
          `,"project":${quoted(project)},"caller":${quoted(caller)}` +
          `,"account":${quoted(account)},"problem":${quoted(problem)}}\n`,
      );
    },
    flush,
    [Symbol.dispose]: flush,
  };
}

/** For tests and one-off commands that have nothing to log. */
export const silentLog: Log = { write() {}, request() {}, flush() {}, [Symbol.dispose]() {} };
