import { setTimeout as delay } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import { boundedStream, type ReadFailed } from "../../http/bounded_reader.ts";
import { AI_ANSWER_BYTES_MAX, AI_ANSWER_TOKENS_MAX } from "../../limits.ts";
import { parseJson } from "../../store/json_text.ts";
import type { Json } from "../../store/port.ts";
import { type FailureKind, type Model, ModelFailure, type Question } from "../model.ts";

export interface GroqOptions {
  /** Address before `/chat/completions`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Milliseconds for an answer, including the retry. */
  readonly timeoutMs: number;
}

const DEFAULT_PAUSE_MS = 500;

/** Opens a model behind Groq's API or a compatible one, such as OpenAI's chat completions. */
export function openGroqModel(options: GroqOptions): Model {
  // Set when the model refuses a schema; later requests ask for plain JSON.
  let isPlain = false;

  async function askWithFallback(question: Question): Promise<Json> {
    const asPlain = isPlain;
    try {
      return await askOnce(options, question, asPlain);
    } catch (error) {
      if (asPlain || !(error instanceof ProviderRefusal && error.lacksSchemas)) throw error;
      isPlain = true;
      return await askOnce(options, question, true);
    }
  }

  return {
    async ask(question) {
      using limit = startTimeLimit(question.signal, options.timeoutMs);
      const { signal } = limit;
      const { onText } = question;
      let isWritten = false;
      const limited: Question = {
        ...question,
        signal,
        ...onText && {
          onText(piece: string) {
            isWritten = true;
            onText(piece);
          },
        },
      };
      try {
        return await askWithFallback(limited).catch(async (error) => {
          const pause = isWritten || signal.aborted ? null : pauseAfter(error);
          if (pause === null || pause >= limit.remainingMs()) throw error;
          await delay(pause, undefined, { signal });
          return await askWithFallback(limited);
        });
      } catch (error) {
        throw toModelFailure(error, limit, isWritten);
      }
    },
  };
}

async function askOnce(
  { baseUrl, model }: GroqOptions,
  { apiKey, system, messages, answer, signal, onText }: Question,
  isPlain: boolean,
): Promise<Json> {
  const { name, schema } = answer;
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey.reveal()}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      model,
      messages: [
        { role: "system", content: isPlain ? `${system}\n\n${schemaPrompt(schema)}` : system },
        ...messages,
      ],
      // Few models support strict schemas, and the answer is validated anyway.
      response_format: isPlain
        ? { type: "json_object" }
        : { type: "json_schema", json_schema: { name, schema, strict: false } },
      max_tokens: AI_ANSWER_TOKENS_MAX,
      temperature: 0,
      ...onText && { stream: true },
    }),
    redirect: "manual", // The key must not be sent to another host.
    signal,
  });
  const body = boundedStream(response.body ?? new Blob().stream(), BOUNDS, toReadFailure);
  if (!response.ok) throw new ProviderRefusal(response, await new Response(body).text());
  const { content, finishReason } = onText === undefined
    ? parseAnswer(await new Response(body).text())
    : await readStreamedAnswer(body, onText);
  if (finishReason !== "stop") throw new ModelFailure("malformed");
  return jsonOf(content);
}

const schemaPrompt = (schema: object): string =>
  `Answer with one JSON object, and nothing else, that fits this JSON Schema:\n${
    JSON.stringify(schema)
  }`;

const BOUNDS = { bytesMax: AI_ANSWER_BYTES_MAX };

const toReadFailure = ({ failure }: ReadFailed) =>
  new ModelFailure(failure === "too long" ? "malformed" : "unavailable");

interface Answer {
  readonly content: string;
  readonly finishReason: string | null;
}

const Completion = z.object({
  choices: z.tuple([
    z.object({ message: z.object({ content: z.string() }), finish_reason: z.string() }),
  ], z.unknown()),
});

function parseAnswer(text: string): Answer {
  const { choices: [{ message: { content }, finish_reason }] } = parseWithSchema(Completion, text);
  return { content, finishReason: finish_reason };
}

const Chunk = z.object({
  choices: z.array(z.object({
    delta: z.object({ content: z.string().nullish() }),
    finish_reason: z.string().nullish(),
  })),
});

async function readStreamedAnswer(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onText: (piece: string) => void,
): Promise<Answer> {
  let content = "";
  let finishReason: string | null = null;
  const events = body.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) {
    if (data === "[DONE]") break;
    for (const { delta, finish_reason } of parseWithSchema(Chunk, data).choices) {
      finishReason = finish_reason ?? finishReason;
      if (!delta.content) continue;
      content += delta.content;
      onText(delta.content);
    }
  }
  return { content, finishReason };
}

function parseWithSchema<T>(schema: z.ZodType<T>, text: string): T {
  const { success, data } = schema.safeParse(jsonOf(text));
  if (!success) throw new ModelFailure("malformed");
  return data;
}

function jsonOf(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new ModelFailure("malformed");
  }
}

/** An error response of the provider. Its text may repeat the question, so it is not kept. */
class ProviderRefusal extends Error {
  override readonly name = "ProviderRefusal";
  readonly status: number;
  /** Seconds of the Retry-After header; null without one. */
  readonly retryAfter: number | null;
  /** Whether a 400 says that the model does not support schemas. */
  readonly lacksSchemas: boolean;

  constructor({ status, headers }: Response, text: string) {
    super(`The provider responded with ${status}`);
    this.status = status;
    this.retryAfter = retryAfter(headers);
    this.lacksSchemas = status === 400 &&
      /response.format[^]*json_schema|json_schema[^]*not support/i.test(text);
  }

  get kind(): FailureKind {
    return this.status === 401 || this.status === 403 ? "key" : "unavailable";
  }
}

/** Parses the Retry-After header. A date is compared with the provider's own clock. */
function retryAfter(headers: Headers): number | null {
  const text = headers.get("retry-after") ?? "";
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.parse(headers.get("date") ?? "")) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}

/** Returns the milliseconds before a retry; null if the request would fail again. */
function pauseAfter(error: unknown): number | null {
  if (!(error instanceof ProviderRefusal) || (error.status !== 429 && error.status < 500)) {
    return null;
  }
  return error.retryAfter === null ? DEFAULT_PAUSE_MS : error.retryAfter * 1000;
}

function toModelFailure(error: unknown, limit: TimeLimit, hasStarted: boolean): ModelFailure {
  if (limit.signal.aborted) {
    return limit.isOver()
      ? new ModelFailure("late", { hasStarted })
      : new ModelFailure("cancelled");
  }
  if (error instanceof ModelFailure) return error;
  return error instanceof ProviderRefusal
    ? new ModelFailure(error.kind, error)
    : new ModelFailure("unavailable"); // The provider is unreachable.
}

interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
  /** Whether the time limit has passed. */
  isOver(): boolean;
  remainingMs(): number;
}

function startTimeLimit(outer: AbortSignal, ms: number): TimeLimit {
  const until = performance.now() + ms;
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), ms);
  return {
    signal: AbortSignal.any([outer, time.signal]),
    isOver: () => time.signal.aborted,
    remainingMs: () => until - performance.now(),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
