/** Fake AI provider for chat completions. Checks requests and sends a test's reply. */

import { closeAt, Findings, serveProvider } from "./provider_fake.ts";

export interface AiRequest {
  readonly key: string;
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** Name of the response schema; null if the request asks for plain JSON. */
  readonly schemaName: string | null;
  // deno-lint-ignore no-explicit-any -- Tests look into schemas of every shape.
  readonly schema: any;
  readonly isStream: boolean;
  readonly text: string;
}

export type AiReply =
  /** The text that the model writes; a value other than a string is sent as JSON. */
  | { readonly writes: unknown; readonly finishReason?: string; readonly piece?: number }
  | {
    readonly status: number;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }
  /** The provider sends no response, or stops in the middle of the text. */
  | { readonly silent: true; readonly writes?: string };

export interface AiFake extends AsyncDisposable {
  /** The value for `AI_BASE_URL`. */
  readonly url: string;
  readonly model: string;
  /** A key that the provider accepts. */
  readonly key: string;
  /** Every request with an accepted key. */
  readonly asked: readonly AiRequest[];
  /** Number of requests that the client aborted. */
  readonly abandoned: number;
  readonly complaints: readonly string[];
  /** Accepts an additional key. */
  accept(key: string): void;
  /** Rejects the key from now on. */
  revoke(key: string): void;
  /** Sets the reply to all further requests. */
  reply(reply: AiReply | ((request: AiRequest, index: number) => AiReply | Promise<AiReply>)): void;
}

const MEMBERS = new Set([
  ...["model", "messages", "max_tokens", "temperature", "response_format", "stream"],
  "stream_options",
]);
const JSON_TYPE = { "content-type": "application/json" };

export function startAiFake(): AiFake {
  const findings = new Findings();
  const model = `model-${crypto.randomUUID()}`;
  const key = `gsk_${crypto.randomUUID()}`;
  const keys = new Set([key]);
  const asked: AiRequest[] = [];
  const closing = new AbortController();
  let abandoned = 0;
  let reply: Parameters<AiFake["reply"]>[0] = { writes: {} };

  async function complete(request: Request): Promise<Response> {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    if (bearer === undefined) return findings.complain("no bearer");
    const text = await request.text();
    if (!keys.has(bearer)) {
      return refusal(401, `{"error":{"message":"Invalid API Key ${bearer}","type":"auth"}}`);
    }
    const read = readRequest(request, text, { model, key: bearer });
    if (typeof read === "string") return findings.complain(read);
    asked.push(read);
    const index = asked.length - 1;
    const chosen = typeof reply === "function" ? await reply(read, index) : reply;
    return answer(chosen, read, closing.signal, () => abandoned++);
  }

  const served = serveProvider(findings, { "POST /openai/v1/chat/completions": complete });
  return {
    url: `${served.url}/openai/v1`,
    model,
    key,
    asked,
    get abandoned() {
      return abandoned;
    },
    complaints: findings.complaints,
    accept: (another) => void keys.add(another),
    revoke: (one) => void keys.delete(one),
    reply: (next) => void (reply = next),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await served[Symbol.asyncDispose]();
      findings.assertNone("the AI provider");
    },
  };
}

const refusal = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(body, { status, headers: { ...JSON_TYPE, ...headers } });

/** Returns the parsed request, or a text that says what is wrong with it. */
function readRequest(
  request: Request,
  text: string,
  { model, key }: { model: string; key: string },
): AiRequest | string {
  if (!request.headers.get("content-type")?.startsWith("application/json")) return "no JSON";
  const body = JSON.parse(text);
  const unknown = Object.keys(body).filter((name) => !MEMBERS.has(name));
  if (unknown.length > 0) return `the members ${unknown.join(", ")} are unknown`;
  if (body.model !== model) return `the model ${body.model} does not exist`;
  if (!(body.max_tokens > 0)) return "max_tokens is missing";
  const [first, ...messages] = body.messages;
  if (first?.role !== "system") return "the first message is not the system's";
  for (const { role, content } of messages) {
    if (!["user", "assistant"].includes(role)) return `a message of ${role}`;
    if (typeof content !== "string" || content === "") return "a message without content";
  }
  if (messages.at(-1)?.role !== "user") return "the last message is not the user's";
  const { type, json_schema } = body.response_format ?? {};
  if (type === "json_object") {
    // Providers reject `json_object` unless the system message mentions JSON.
    if (!/json/i.test(first.content)) {
      return "json_object, but the system message does not mention JSON";
    }
  } else if (type !== "json_schema" || json_schema?.schema?.type !== "object") {
    return "no response_format";
  } else if (!/^[a-z_]{1,64}$/.test(json_schema.name)) return "a schema without a name";
  return {
    key,
    system: first.content,
    messages,
    schemaName: json_schema?.name ?? null,
    schema: json_schema?.schema ?? null,
    isStream: body.stream === true,
    text,
  };
}

function answer(
  reply: AiReply,
  { isStream }: AiRequest,
  closing: AbortSignal,
  abandon: () => void,
): Response | Promise<Response> {
  if ("status" in reply) return refusal(reply.status, reply.body ?? "{}", reply.headers);
  if ("silent" in reply) {
    // Deno reports an aborted request only after the response has begun.
    const lines = isStream && reply.writes !== undefined ? deltas(reply.writes, 8) : [];
    return stream(lines, { closing, abandon, endless: true });
  }
  const { writes, finishReason = "stop", piece = 8 } = reply;
  const content = typeof writes === "string" ? writes : JSON.stringify(writes);
  if (isStream) {
    const lines = [
      ...deltas(content, piece),
      chunk({ delta: {}, finish_reason: finishReason }),
      "[DONE]",
    ];
    return stream(lines, { closing, abandon, endless: false });
  }
  const choice = { index: 0, message: { role: "assistant", content }, finish_reason: finishReason };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return new Response(
    JSON.stringify({ id: "c", object: "chat.completion", created: 1, choices: [choice], usage }),
    { headers: JSON_TYPE },
  );
}

const deltas = (content: string, piece: number): string[] =>
  Array.from({ length: Math.ceil(content.length / piece) }, (_, i) => {
    const text = content.slice(i * piece, (i + 1) * piece);
    return chunk({ delta: { role: "assistant", content: text }, finish_reason: null });
  });

const chunk = (choice: object): string =>
  JSON.stringify({ id: "c", created: 1, choices: [{ index: 0, ...choice }] });

function stream(
  lines: readonly string[],
  { closing, abandon, endless }: { closing: AbortSignal; abandon: () => void; endless: boolean },
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (endless) controller.enqueue(encoder.encode("\n"));
      for (const line of lines) controller.enqueue(encoder.encode(`data: ${line}\n\n`));
      if (!endless) controller.close();
      else closeAt(closing, controller);
    },
    cancel: abandon,
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
