import {
  REQUEST_LOG_DAYS,
  REQUEST_LOG_MAX,
  REQUEST_LOG_PER_SECOND_MAX,
  REQUEST_RECORDING_MINUTES_MAX,
} from "@/lib/limits.ts";
import { answered } from "../answers.ts";
import { contract } from "../contract.ts";
import { projectId } from "../parameters.ts";
import {
  Recording,
  RecordingInput,
  REQUEST_EXAMPLE,
  RequestList,
  requestQuery,
} from "../schemas/logged_request.ts";
import { projectMember } from "../security.ts";

const TAG = "Projects";
const PATH = "/api/projects/{projectId}/requests";

export const listRequests = contract({
  operationId: "listRequests",
  tag: TAG,
  method: "get",
  path: PATH,
  summary: "List a project's requests that failed, for its members",
  description: "Requests to the API of the last " +
    `${REQUEST_LOG_DAYS} days that were refused or failed, the newest first; and all of them while ` +
    "that is [switched on](#tag/Projects/operation/recordRequests). Neither bodies and keys nor " +
    "queries and addresses are kept. A project keeps its newest " +
    `${REQUEST_LOG_MAX}; of more than ${REQUEST_LOG_PER_SECOND_MAX} within a second the others are ` +
    "only counted. What a process serves is listed within a second or two.",
  security: projectMember("viewer"),
  params: { projectId },
  query: requestQuery,
  success: answered("Requests listed", "A page of requests.", {
    data: RequestList,
    example: { items: [REQUEST_EXAMPLE], nextCursor: null, recordsUntil: null },
  }),
  problems: ["INVALID_CURSOR"],
});

export const recordRequests = contract({
  operationId: "recordRequests",
  tag: TAG,
  method: "put",
  path: `${PATH}/recording`,
  summary: "List all of a project's requests for some time, for its admins",
  description: "Also those that go well. It ends by itself, after at most " +
    `${REQUEST_RECORDING_MINUTES_MAX} minutes; other processes begin and end within five seconds.`,
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: RecordingInput,
    example: { minutes: 60 },
    description: "For how long.",
  },
  success: answered("Recording set", "Until when they are listed.", {
    data: Recording,
    example: { recordsUntil: "2026-01-31T13:00:00.000Z" },
  }),
  problems: [],
});

/** In the order of the reference. */
export const PROJECT_REQUESTS = { listRequests, recordRequests };
