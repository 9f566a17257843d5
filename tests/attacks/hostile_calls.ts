/** The most expensive allowed calls of operations and visits of pages. */

import { FORM_BYTES_MAX, IMPORT_BYTES_MAX } from "@/lib/limits.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import type { Sample } from "../api/sample_calls.ts";
import type { PageRow } from "../pages/every_page.ts";
import type { Call } from "../support/conforming_client.ts";
import {
  hostileBodies,
  hostileForms,
  hostileHeaders,
  hostileQueries,
  type HostileText,
  hostileUploads,
  UPLOAD_TYPE,
} from "./hostile_requests.ts";

export interface HostileCall {
  readonly what: string;
  readonly call: Call;
}

const withQuery = (path: string, { text }: HostileText): string =>
  `${path}${path.includes("?") ? "&" : "?"}${text}`;

function* withLongParts(call: Call): Generator<HostileCall> {
  for (const query of hostileQueries("title")) {
    yield { what: `?${query.what}`, call: { ...call, path: withQuery(call.path, query) } };
  }
  for (const { what, name, text } of hostileHeaders()) {
    const headers = [...new Headers(call.headers)].filter(([other]) => other !== name);
    yield { what, call: { ...call, headers: [...headers, [name, text]] } };
  }
  // A server accepts up to a hundred headers.
  const many = Array.from({ length: 90 }, (_, i) => [`x-${i}`, "a"] as [string, string]);
  yield {
    what: "many headers",
    call: { ...call, headers: [...new Headers(call.headers), ...many] },
  };
}

/** Returns the size of a body from the maximum of its operation, in bytes. */
export type SizeOf = (bytesMax: number) => number;

const maximumSize: SizeOf = (bytesMax) => bytesMax;

export function* hostileCalls(
  sample: Sample,
  call: Call,
  sizeOf = maximumSize,
): Generator<HostileCall> {
  yield* withLongParts({
    ...call,
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  });
  const bytesMax = CONTRACTS.find(({ operationId }) => operationId === sample.operationId)!
    .body?.bytesMax;
  if (bytesMax === undefined) return;
  for (const { what, text } of hostileBodies(call.body, sizeOf(bytesMax))) {
    yield { what: `${what}, ${text.length} bytes`, call: { ...call, body: text } };
  }
}

/** Path endings of forms with a file, with their size limits in bytes. */
const UPLOADS: readonly (readonly [string, number])[] = [
  ["/files", FORM_BYTES_MAX],
  ["/import", IMPORT_BYTES_MAX],
  ["/import/run", FORM_BYTES_MAX],
];

/** Yields requests that a browser may send to a page of the dashboard. */
export function* hostileVisits(
  { method, template }: PageRow,
  call: Call,
  sizeOf = maximumSize,
): Generator<HostileCall> {
  yield* withLongParts(call);
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
