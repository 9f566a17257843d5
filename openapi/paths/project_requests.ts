import {
  REQUEST_LOG_DAYS,
  REQUEST_LOG_MAX,
  REQUEST_LOG_PER_SECOND_MAX,
  REQUEST_RECORDING_MINUTES_MAX,
} from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
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
    `${REQUEST_LOG_DAYS} days that were refused or failed, newest first; all requests while that is ` +
    "[switched on](#tag/Projects/operation/recordRequests). Bodies, keys, queries and addresses are " +
    `not stored. A project has its newest ${REQUEST_LOG_MAX} requests; beyond ` +
    `${REQUEST_LOG_PER_SECOND_MAX} in a second, they are only counted. A request is listed within ` +
    "one or two seconds.",
  security: projectMember("viewer"),
  params: { projectId },
  query: requestQuery,
  success: okAnswer("Requests listed", "A page of requests.", {
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
  summary: "Record all of a project's requests for some time, for its admins",
  description: "Records successful requests too. The recording ends after at most " +
    `${REQUEST_RECORDING_MINUTES_MAX} minutes; other processes follow within five seconds.`,
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: RecordingInput,
    example: { minutes: 60 },
    description: "The duration.",
  },
  success: okAnswer("Recording set", "The end of the recording.", {
    data: Recording,
    example: { recordsUntil: "2026-01-31T13:00:00.000Z" },
  }),
  problems: [],
});

export const PROJECT_REQUESTS = { listRequests, recordRequests };
