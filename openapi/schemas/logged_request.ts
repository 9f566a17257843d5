import { z } from "@hono/zod-openapi";
import { NAME_LENGTH_MAX, REQUEST_RECORDING_MINUTES_MAX } from "@/lib/limits.ts";
import { CALLER_KINDS, STATUS_FILTER } from "@/lib/projects/list_requests.ts";
import { bodySaying, queryOf } from "../inputs.ts";
import { paging } from "../parameters.ts";
import { time } from "./values.ts";

export const REQUEST_EXAMPLE = {
  requestId: "9f86d081884c-1k",
  operation: "createDocument",
  method: "POST",
  status: 400,
  code: "VALIDATION_FAILED",
  caller: "publishable",
  ms: 3.25,
  leftOut: 0,
  at: "2026-01-31T12:00:00.000Z",
};

export const LoggedRequest = z.strictObject({
  requestId: z.string().openapi({ description: "As the answer's `x-request-id` had it." }),
  operation: z.string().nullable().openapi({
    description: "The operation's id; null where the request was for none.",
  }),
  method: z.string(),
  status: z.int(),
  code: z.string().nullable().openapi({ description: "Code of the problem; null without one." }),
  caller: z.enum(CALLER_KINDS).nullable().openapi({
    description: "By what it came: either key, a session of the dashboard, or a personal access " +
      "token.",
  }),
  ms: z.number().min(0).openapi({ description: "How long it took." }),
  leftOut: z.int().min(0).openapi({
    description: "How many more there were within the same second, of which nothing else is kept.",
  }),
  at: time,
}).openapi("LoggedRequest", { example: REQUEST_EXAMPLE });

const STATUS = '"status" must be a status, as 404, or all of a hundred, as 4xx.';
const SINCE = '"since" must be a time with its zone, as 2026-01-31T12:00:00Z.';

const filterText = (name: string, description: string, example: string) =>
  z.string().max(NAME_LENGTH_MAX, `"${name}" may have ${NAME_LENGTH_MAX} characters.`).optional()
    .openapi({ param: { description, example } });

export const requestQuery = queryOf({
  ...paging,
  operation: filterText("operation", "Those of this operation.", "createDocument"),
  status: z.string().regex(STATUS_FILTER, STATUS).optional().openapi({
    param: { description: "Those with this status; `4xx` stands for all of them.", example: "4xx" },
  }),
  code: filterText("code", "Those with this problem.", "VALIDATION_FAILED"),
  caller: z.enum(CALLER_KINDS, {
    error: `"caller" must be one of ${CALLER_KINDS.join(", ")}.`,
  }).optional().openapi({ param: { description: "By what they came.", example: "publishable" } }),
  requestId: filterText(
    "requestId",
    "The one whose answer had this `x-request-id`.",
    "9f86d081884c-1k",
  ),
  since: z.iso.datetime({ offset: true, error: SINCE })
    .transform((text) => new Date(text).toISOString()).optional().openapi({
      type: "string",
      format: "date-time",
      param: { description: "Those that ended then or later.", example: "2026-01-31T12:00:00Z" },
    }),
}, "this list");

const recordsUntil = time.nullable().openapi({
  description: "Until when all requests are listed; null where only those that fail are.",
});

export const RequestList = z.strictObject({
  items: z.array(LoggedRequest),
  nextCursor: z.string().nullable(),
  recordsUntil,
}).openapi("RequestList", {
  example: { items: [REQUEST_EXAMPLE], nextCursor: null, recordsUntil: null },
});

const MINUTES = `Send { "minutes": 60 }: a whole number from 0 to ` +
  `${REQUEST_RECORDING_MINUTES_MAX}.`;

export const RecordingInput = bodySaying(MINUTES, (error) => ({
  minutes: z.int({ error }).min(0, error).max(REQUEST_RECORDING_MINUTES_MAX, error).openapi({
    description: "For how many minutes from now on; 0 ends it.",
  }),
})).openapi("RecordingInput", { example: { minutes: 60 } });

export const Recording = z.strictObject({ recordsUntil }).openapi("Recording", {
  example: { recordsUntil: "2026-01-31T13:00:00.000Z" },
});
