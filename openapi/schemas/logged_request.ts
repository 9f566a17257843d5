import { z } from "@hono/zod-openapi";
import { NAME_LENGTH_MAX, REQUEST_RECORDING_MINUTES_MAX } from "@/lib/limits.ts";
import { CALLER_KINDS, STATUS_FILTER } from "@/lib/projects/list_requests.ts";
import { bodyWithMessage, queryOf } from "../inputs.ts";
import { pagingParameters } from "../parameters.ts";
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
  requestId: z.string().openapi({ description: "The answer's `x-request-id`." }),
  operation: z.string().nullable().openapi({
    description: "The operation's id; null if the request matched none.",
  }),
  method: z.string(),
  status: z.int(),
  code: z.string().nullable().openapi({
    description: "Code of the problem; null if there was none.",
  }),
  caller: z.enum(CALLER_KINDS).nullable().openapi({
    description: "Credentials of the request: a key, a session of the dashboard, or a personal " +
      "access token.",
  }),
  ms: z.number().min(0).openapi({ description: "Duration in milliseconds." }),
  leftOut: z.int().min(0).openapi({
    description: "Number of further requests within the same second, which are not listed.",
  }),
  at: time,
}).openapi("LoggedRequest", { example: REQUEST_EXAMPLE });

const STATUS = '"status" must be a status, as 404, or all of a hundred, as 4xx.';
const SINCE = '"since" must be a time with its zone, as 2026-01-31T12:00:00Z.';

const filterText = (name: string, description: string, example: string) =>
  z.string().max(NAME_LENGTH_MAX, `"${name}" may have ${NAME_LENGTH_MAX} characters.`).optional()
    .openapi({ param: { description, example } });

export const requestQuery = queryOf({
  ...pagingParameters,
  operation: filterText("operation", "Only requests of this operation.", "createDocument"),
  status: z.string().regex(STATUS_FILTER, STATUS).optional().openapi({
    param: {
      description: "Only requests with this status; `4xx` means all from 400 to 499.",
      example: "4xx",
    },
  }),
  code: filterText("code", "Only requests with this problem.", "VALIDATION_FAILED"),
  caller: z.enum(CALLER_KINDS, {
    error: `"caller" must be one of ${CALLER_KINDS.join(", ")}.`,
  }).optional().openapi({
    param: { description: "Only requests with these credentials.", example: "publishable" },
  }),
  requestId: filterText(
    "requestId",
    "Only the request with this `x-request-id`.",
    "9f86d081884c-1k",
  ),
  since: z.iso.datetime({ offset: true, error: SINCE })
    .transform((text) => new Date(text).toISOString()).optional().openapi({
      type: "string",
      format: "date-time",
      param: {
        description: "Only requests that ended at this time or later.",
        example: "2026-01-31T12:00:00Z",
      },
    }),
}, "this list");

const recordsUntil = time.nullable().openapi({
  description: "Time until which all requests are recorded; null if only failed ones are.",
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

export const RecordingInput = bodyWithMessage(MINUTES, (error) => ({
  minutes: z.int({ error }).min(0, error).max(REQUEST_RECORDING_MINUTES_MAX, error).openapi({
    description: "Number of minutes from now; 0 ends the recording.",
  }),
})).openapi("RecordingInput", { example: { minutes: 60 } });

export const Recording = z.strictObject({ recordsUntil }).openapi("Recording", {
  example: { recordsUntil: "2026-01-31T13:00:00.000Z" },
});
