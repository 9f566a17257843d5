import { createGroq } from "@ai-sdk/groq";
import { APICallError, generateText, Output, streamText } from "ai";
import { boundedStream, type ReadFailed } from "../../http/bounded_reader.ts";
import { AI_ANSWER_BYTES_MAX, AI_ANSWER_TOKENS_MAX } from "../../limits.ts";
import { parseJson } from "../../store/json_text.ts";
import type { Json } from "../../store/port.ts";
import { type FailureKind, type Model, ModelFailure, type Question } from "../model.ts";

export interface GroqOptions {
  /** What stands before `/chat/completions`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Milliseconds for an answer, a second attempt included. */
  readonly timeoutMs: number;
}

const DEFAULT_PAUSE_MS = 500;

/** The library would tell the console of what a model lacks. */
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** A model behind Groq's API, or one that speaks like it. */
export function openGroqModel(options: GroqOptions): Model {
  // Models that know no schema are asked for plain JSON from then on.
  let isPlain = false;

  async function attempt(question: Question, within: AbortSignal): Promise<Json> {
    const asPlain = isPlain;
    try {
      return await askOnce(options, { ...question, signal: within }, asPlain);
    } catch (error) {
      if (asPlain || !lacksSchemas(error)) throw error;
      isPlain = true;
      return await askOnce(options, { ...question, signal: within }, true);
    }
  }

  return {
    async ask(question) {
      using limit = timeLimit(question.signal, options.timeoutMs);
      let written = false;
      const { onText } = question;
      const watched: Question = onText === undefined ? question : {
        ...question,
        onText(piece) {
          written = true;
          onText(piece);
        },
      };
      try {
        return await attempt(watched, limit.signal);
      } catch (error) {
        const pause = written || limit.signal.aborted ? null : pauseAfter(error);
        if (pause === null || pause >= limit.remainingMs()) throw failureOf(error, limit);
        try {
          await paused(pause, limit.signal);
          return await attempt(watched, limit.signal);
        } catch (error) {
          throw failureOf(error, limit);
        }
      }
    },
  };
}

async function askOnce(
  { baseUrl, model }: GroqOptions,
  question: Question,
  isPlain: boolean,
): Promise<Json> {
  const { apiKey, messages, answer: { name, schema }, signal, onText } = question;
  const groq = createGroq({ baseURL: baseUrl, apiKey: apiKey.reveal(), fetch: boundedFetch });
  const request = {
    model: groq(model),
    system: isPlain ? `${question.system}\n\n${inWords(schema)}` : question.system,
    messages: [...messages],
    output: asJson(name, schema),
    // Strict schemas are served by few models; what does not fit is refused here anyway.
    providerOptions: { groq: { structuredOutputs: !isPlain, strictJsonSchema: false } },
    maxOutputTokens: AI_ANSWER_TOKENS_MAX,
    temperature: 0,
    maxRetries: 0,
    abortSignal: signal,
  };
  const { text, finishReason } = onText === undefined
    ? await generateText(request)
    : await readStream(streamText({ ...request, onError() {} }).fullStream, onText);
  if (finishReason !== "stop") throw new ModelFailure("malformed");
  return parseJson(text);
}

/**
 * Has the schema travel, and nothing else: what comes back is checked by who asked. The library's
 * own output of objects would parse all that is there so far with every piece that arrives.
 */
const asJson = (name: string, schema: Question["answer"]["schema"]) => ({
  ...Output.text(),
  responseFormat: Promise.resolve({ type: "json" as const, name, schema }),
});

type Part =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "finish"; readonly finishReason: string }
  | { readonly type: string };

/** Errors do not reach who reads the text alone: they are parts of the stream like any other. */
async function readStream(
  parts: AsyncIterable<Part>,
  onText: (piece: string) => void,
): Promise<{ text: string; finishReason: string }> {
  let text = "";
  let finishReason = "none";
  for await (const part of parts) {
    if (part.type === "text-delta" && "text" in part) {
      text += part.text;
      onText(part.text);
    } else if (part.type === "error" && "error" in part) throw part.error;
    else if (part.type === "finish" && "finishReason" in part) finishReason = part.finishReason;
  }
  return { text, finishReason };
}

const inWords = (schema: object): string =>
  `Answer with one JSON object, and nothing else, that fits this JSON Schema:\n${
    JSON.stringify(schema)
  }`;

/**
 * As `fetch`; redirects are not followed. An answer fails as `malformed` beyond its bound, and as
 * `unavailable` where it breaks off.
 */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const { body, status, headers } = response;
  const bounds = { bytesMax: AI_ANSWER_BYTES_MAX };
  return new Response(body && boundedStream(body, bounds, failureOfAnswer), { status, headers });
};

const failureOfAnswer = ({ failure }: ReadFailed) =>
  new ModelFailure(failure === "too long" ? "malformed" : "unavailable");

/** Whether a 400 says that the model does not take schemas, as opposed to all else that can be wrong. */
const lacksSchemas = (error: unknown): boolean =>
  APICallError.isInstance(error) && error.statusCode === 400 &&
  /response.format[^]*json_schema|json_schema[^]*not support/i.test(error.responseBody ?? "");

/** Milliseconds until it may be tried again; null for what would fail again. */
function pauseAfter(error: unknown): number | null {
  if (!APICallError.isInstance(error)) return null;
  const status = error.statusCode ?? 0;
  if (status !== 429 && status < 500) return null;
  const seconds = retryAfter(error);
  return seconds === null ? DEFAULT_PAUSE_MS : seconds * 1000;
}

/** Seconds, in either form of the header; a date is held against the provider's own clock. */
function retryAfter({ responseHeaders: headers }: APICallError): number | null {
  const text = headers?.["retry-after"] ?? "";
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.parse(headers?.date ?? "")) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}

function failureOf(error: unknown, limit: TimeLimit): ModelFailure {
  if (limit.signal.aborted) return new ModelFailure(limit.isOver() ? "late" : "cancelled");
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ModelFailure) return cause;
  }
  if (!APICallError.isInstance(error)) return new ModelFailure("malformed");
  const status = error.statusCode ?? null;
  return new ModelFailure(kindOf(status, error), { status, retryAfter: retryAfter(error) });
}

function kindOf(status: number | null, { isRetryable }: APICallError): FailureKind {
  if (status === 401 || status === 403) return "key";
  // A whole answer that cannot be read has the status of success.
  return status === 200 && !isRetryable ? "malformed" : "unavailable";
}

interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
  /** Whether it was the time that ran out. */
  isOver(): boolean;
  remainingMs(): number;
}

function timeLimit(outer: AbortSignal, ms: number): TimeLimit {
  const until = performance.now() + ms;
  const control = new AbortController();
  let over = false;
  const cancel = () => control.abort();
  const timer = setTimeout(() => {
    over = true;
    control.abort();
  }, ms);
  if (outer.aborted) cancel();
  outer.addEventListener("abort", cancel);
  return {
    signal: control.signal,
    isOver: () => over,
    remainingMs: () => until - performance.now(),
    [Symbol.dispose]() {
      clearTimeout(timer);
      outer.removeEventListener("abort", cancel);
    },
  };
}

function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = () => {
      clearTimeout(timer);
      reject(new ModelFailure("cancelled"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", give);
      resolve();
    }, ms);
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
}
