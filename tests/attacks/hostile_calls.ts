/** Calls of operations and visits of pages with the dearest requests that fit the limits. */

import { FORM_BYTES_MAX, IMPORT_BYTES_MAX } from "@/lib/limits.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import type { Sample } from "../api/sample_calls.ts";
import type { Row } from "../pages/every_page.ts";
import type { Call } from "../support/conforming_client.ts";
import {
  type Hostile,
  hostileBodies,
  hostileForms,
  hostileHeaders,
  hostileQueries,
  hostileUploads,
  UPLOAD_TYPE,
} from "./hostile_requests.ts";

/** A call with what it is, for messages. */
export interface HostileCall {
  readonly what: string;
  readonly call: Call;
}

const withQuery = (path: string, { text }: Hostile): string =>
  `${path}${path.includes("?") ? "&" : "?"}${text}`;

/** With what is too long, or repeated, around a call. */
function* around(call: Call): Generator<HostileCall> {
  for (const query of hostileQueries("title")) {
    yield { what: `?${query.what}`, call: { ...call, path: withQuery(call.path, query) } };
  }
  for (const { what, name, text } of hostileHeaders()) {
    const headers = [...new Headers(call.headers)].filter(([other]) => other !== name);
    yield { what, call: { ...call, headers: [...headers, [name, text]] } };
  }
  // A server takes up to a hundred.
  const many = Array.from({ length: 90 }, (_, i) => [`x-${i}`, "a"] as [string, string]);
  yield {
    what: "many headers",
    call: { ...call, headers: [...new Headers(call.headers), ...many] },
  };
}

/** How many bytes a body is to have, of the largest that is taken. */
export type SizeOf = (bytesMax: number) => number;

const whole: SizeOf = (bytesMax) => bytesMax;

/** What an operation may be sent, made of a call that it takes. */
export function* hostileCalls(sample: Sample, call: Call, sizeOf = whole): Generator<HostileCall> {
  yield* around({ ...call, ...(call.body !== undefined && { body: JSON.stringify(call.body) }) });
  const bytesMax = CONTRACTS.find(({ operationId }) => operationId === sample.operationId)!
    .body?.bytesMax;
  if (bytesMax === undefined) return;
  for (const { what, text } of hostileBodies(call.body, sizeOf(bytesMax))) {
    yield { what: `${what}, ${text.length} bytes`, call: { ...call, body: text } };
  }
}

/** Forms with a file, by the end of their paths, and how many bytes they take. */
const UPLOADS: readonly (readonly [string, number])[] = [
  ["/files", FORM_BYTES_MAX],
  ["/import", IMPORT_BYTES_MAX],
  ["/import/run", FORM_BYTES_MAX],
];

/** As {@linkcode hostileCalls}, of what a browser may send to a page of the dashboard. */
export function* hostileVisits(
  { method, template }: Row,
  call: Call,
  sizeOf = whole,
): Generator<HostileCall> {
  yield* around(call);
  if (method === "GET") return;
  const upload = UPLOADS.find(([end]) => template.endsWith(end));
  if (upload === undefined) {
    const names = [...new URLSearchParams(String(call.body ?? "")).keys()];
    for (const { what, text } of hostileForms(names, sizeOf(FORM_BYTES_MAX))) {
      yield { what, call: { ...call, body: text } };
    }
    return;
  }
  const headers = [...new Headers(call.headers)].filter(([name]) => name !== "content-type");
  const uploads = hostileUploads(sizeOf(upload[1]));
  for (const { what, text, type = UPLOAD_TYPE } of uploads) {
    const more = [["content-type", type], ["content-length", `${text.length}`]];
    yield {
      what,
      call: { ...call, headers: [...headers, ...more] as [string, string][], body: text },
    };
  }
}
