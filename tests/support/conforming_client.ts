import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import assert from "node:assert/strict";
import type { App } from "@/routes/app.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import published from "@/openapi/openapi.json" with { type: "json" };

/** A response as tests read it. `data` is the content of the envelope. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- Tests look into answers of every shape.
  readonly body: any;
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: HeadersInit;
  /** Sent as JSON, except for a string, bytes or a stream, which are sent unchanged. */
  readonly body?: unknown;
  readonly peer?: string;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, Declared | { $ref: string }>;
}

interface Declared {
  readonly content?: Record<string, unknown>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Declared>> };
}

const PAGES = /^\/(?:dashboard|docs\/(?:assets|errors|full|guides|operations|pictures))(?:[/?]|$)/;

/**
 * Sends a request to the app and fails if the response has a status, a media type or a body member
 * that the OpenAPI document does not declare. A path without an operation may only answer 204, 400,
 * 401, 403, 404 or 405.
 */
export async function send(app: App, call: Call): Promise<Answer> {
  const response = await sendRaw(app, call);
  const method = methodOf(call);
  const type = response.headers.get("content-type") ?? "";
  const text = isOpenEnded(call, type) ? await firstChunkOf(response) : await response.text();
  const body = type.startsWith("application/json") && text !== "" ? parseJson(text) : undefined;
  const answer = { status: response.status, headers: response.headers, text, body };
  // Pages are not part of the document.
  if (!PAGES.test(call.path)) publishedDeclarations.check(method, call.path, answer);
  return answer;
}

export const methodOf = ({ method, body }: Call): string =>
  method ?? (body === undefined ? "GET" : "POST");

const isOpenEnded = ({ path }: Call, type: string): boolean =>
  type === "text/event-stream" && /\/live(?:\?|$)/.test(path);

/** Returns the first chunk of the body and cancels the rest. */
async function firstChunkOf({ body }: Response): Promise<string> {
  const reader = body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

/** Sends a request to the app without checking the response. */
export async function sendRaw(app: App, call: Call): Promise<Response> {
  const method = methodOf(call);
  const headers = new Headers(call.headers);
  const init: RequestInit & { duplex?: "half" } = { method, headers };
  if (call.body !== undefined) {
    const raw = typeof call.body === "string" || call.body instanceof Uint8Array ||
      call.body instanceof ReadableStream;
    init.body = raw ? call.body as BodyInit : JSON.stringify(call.body);
    if (call.body instanceof ReadableStream) init.duplex = "half";
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    if (headers.get("content-type") === "none") headers.delete("content-type");
  }
  const request = rawRequest(`http://localhost:8000${call.path}`, init);
  const peer = { remoteAddr: { hostname: call.peer ?? "127.0.0.1" } };
  return await app.fetch(request, peer);
}

/** Creates a request with an address that is not normalized, as `Deno.serve` does. */
function rawRequest(url: string, init: RequestInit): Request {
  const request = new Request("http://localhost:8000/", init);
  Object.defineProperty(request, "url", { value: url });
  return request;
}

export class Declarations {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #paths: readonly {
    readonly template: string;
    readonly operations: Readonly<Record<string, Operation>>;
    readonly pattern: RegExp;
  }[];

  constructor(document: Document) {
    this.#document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, "openapi");
    this.#paths = Object.entries(document.paths)
      .toSorted((one, other) => parametersIn(one) - parametersIn(other))
      .map(([template, operations]) => {
        const pattern = template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
        return { template, operations, pattern: new RegExp(`^${pattern}$`) };
      });
  }

  has(method: string, path: string): boolean {
    return this.#find(method, path) !== null;
  }

  /** @param looksInside Whether the content of the body is checked. */
  check(method: string, path: string, answer: Answer, { looksInside = true } = {}): void {
    const found = this.#find(method, path);
    if (found === null) {
      assert.ok(
        [204, 400, 401, 403, 404, 405].includes(answer.status),
        `${method} ${path} is not an operation, but answered ${answer.status}`,
      );
      return;
    }
    const { operation, pointer } = found;
    const context = `${operation.operationId} answered ${answer.status}`;
    const status = String(answer.status);
    const { [status]: declared = operation.responses[`${status[0]}XX`] } = operation.responses;
    assert.ok(declared, `${context}, which it does not declare: ${answer.text.slice(0, 300)}`);
    const response = "$ref" in declared
      ? this.#document.components.responses[declared.$ref.split("/").at(-1)!]!
      : declared;
    if (typeof answer.body?.success === "boolean") {
      assert.equal(answer.body.success, answer.status < 400, context);
    }
    const type = (answer.headers.get("content-type") ?? "").split(";")[0]!;
    if (response.content === undefined) {
      assert.equal(answer.text, "", `${context} with a body it does not declare`);
      return;
    }
    const isDeclared = type in response.content;
    assert.ok(
      method === "HEAD" || isDeclared || "*/*" in response.content,
      `${context} with undeclared type "${type}"`,
    );
    if (answer.body === undefined || !isDeclared || !looksInside) return;
    const location = "$ref" in declared ? declared.$ref : `#${pointer}/responses/${answer.status}`;
    const validate = this.#validator(`openapi${location}/content/${escapePointer(type)}/schema`);
    assert.ok(
      validate(answer.body),
      `${context} with a body it does not declare: ${
        this.#ajv.errorsText(validate.errors)
      }\n${answer.text}`,
    );
  }

  #validator(at: string): ValidateFunction {
    let validate = this.#validators.get(at);
    if (validate === undefined) {
      this.#validators.set(at, validate = this.#ajv.compile({ $ref: at }));
    }
    return validate;
  }

  #find(method: string, path: string) {
    const address = decodedPath(path.split("?")[0]!).replace(/(?<=.)\/$/, "");
    const verb = method === "HEAD" ? "get" : method.toLowerCase();
    for (const { template, operations, pattern } of this.#paths) {
      const operation = operations[verb];
      if (operation !== undefined && pattern.test(address)) {
        return { operation, pointer: `/paths/${escapePointer(template)}/${verb}` };
      }
    }
    return null;
  }
}

/** Counts the parameters of a path. Of two matching paths, the one with fewer wins. */
const parametersIn = ([template]: readonly [string, unknown]): number => template.split("{").length;

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const escapePointer = (name: string): string =>
  encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The published document. Another test checks that it matches the code. */
const publishedDeclarations = new Declarations(published as unknown as Document); // Its inferred type is too narrow.
