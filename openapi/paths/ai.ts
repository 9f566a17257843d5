import type { z } from "zod";
import { AI_REQUESTS_PER_MINUTE, AI_TIMEOUT_MS } from "@/lib/limits.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { createdAnswer, okAnswer } from "../answers.ts";
import { type BodySpec, contract, type Success } from "../contract.ts";
import { projectId } from "../parameters.ts";
import {
  AI_USAGE_EXAMPLE,
  AiKeyInput,
  AiKeyState,
  AiUsage,
  APPLIED_EXAMPLE,
  AppliedProposal,
  BUILT_QUERY_EXAMPLE,
  BuiltQuery,
  ChatEnded,
  CREATOR_MESSAGE_EXAMPLE,
  CREATOR_STREAM_EXAMPLE,
  CREATOR_TURN_EXAMPLE,
  CreatorMessage,
  CreatorStream,
  CreatorTurn,
  QUERY_QUESTION_EXAMPLE,
  QueryQuestion,
} from "../schemas/ai.ts";
import {
  dashboardSession,
  projectAdminOrHidden,
  projectMember,
  sessionOrToken,
} from "../security.ts";

const TAG = "AI";

const keyBody: BodySpec<z.infer<typeof AiKeyInput>> = {
  schema: AiKeyInput,
  example: { aiKey: "gsk_0123456789abcdef" },
  description: "The key, or null to clear it.",
};

const keyState: Success = {
  status: 200,
  description: "Whether a key is stored.",
  data: AiKeyState,
  example: { hasAiKey: true },
  message: "AI key saved",
};

export const setAccountAiKey = contract({
  operationId: "setAccountAiKey",
  tag: TAG,
  method: "put",
  path: "/api/user/me/byok",
  summary: "Set or clear the signed-in account's AI key",
  description: "The AI operations of the account then use this key without a cap, unless the " +
    "project has its own key. The key is stored encrypted and never returned.",
  security: dashboardSession,
  body: keyBody,
  success: [keyState],
  problems: ["AI_KEY_MALFORMED", "PRO_PLAN_REQUIRED"],
});

export const setProjectAiKey = contract({
  operationId: "setProjectAiKey",
  tag: TAG,
  method: "put",
  path: "/api/projects/{projectId}/byok",
  summary: "Set or clear a project's AI key for its admins",
  description: "The AI operations of the project then use this key without a cap, for all " +
    "members. The key is stored encrypted and never returned.",
  security: projectAdminOrHidden,
  params: { projectId },
  body: keyBody,
  success: [keyState],
  problems: ["AI_KEY_MALFORMED", "PRO_PLAN_REQUIRED"],
});

export const getAiUsage = contract({
  operationId: "getAiUsage",
  tag: TAG,
  method: "get",
  path: "/api/user/me/ai-usage",
  summary: "Get the signed-in account's AI usage",
  description: "Requests of this month with the platform's key, and the plan's caps.",
  security: sessionOrToken,
  success: okAnswer("AI usage read", "Counts and caps.", {
    data: AiUsage,
    example: AI_USAGE_EXAMPLE,
  }),
  problems: [],
});

const PER_MINUTE =
  `An account makes at most ${AI_REQUESTS_PER_MINUTE} AI requests a minute, whichever key is used.`;

const MODEL_PROBLEMS: readonly ProblemCode[] = [
  "RATE_LIMITED",
  "AI_KEY_REJECTED",
  "AI_CAP_REACHED",
  "AI_UNAVAILABLE",
  "AI_ANSWER_INVALID",
  "AI_NOT_CONFIGURED",
  "AI_TIMEOUT",
];

export const buildQuery = contract({
  operationId: "buildQuery",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/ai/query-builder",
  summary: "Build a query from plain words for the project's admins",
  description:
    "Lets the model write filters and a sort for a collection, and answers them as a query " +
    "of the list operation. The model receives the declared fields, but no stored data. With the " +
    "platform's key, the request counts against the account's month unless the provider fails. " +
    PER_MINUTE,
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: QueryQuestion,
    example: QUERY_QUESTION_EXAMPLE,
    description: "The collection and the question.",
  },
  success: okAnswer("Query built", "The query.", {
    data: BuiltQuery,
    example: BUILT_QUERY_EXAMPLE,
  }),
  problems: [...MODEL_PROBLEMS, "COLLECTION_NOT_FOUND"],
  extraMs: AI_TIMEOUT_MS,
});

export const designCollections = contract({
  operationId: "designCollections",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/ai/collection-creator",
  summary: "Design collections in a chat for the project's admins",
  description: "One turn of a chat. Each account has one chat in a project, stored for two hours " +
    "after its last turn. Proposals are valid definitions, and nothing is created before one is " +
    "applied. With the platform's key, a chat has 20 turns, and the first proposal counts " +
    "against the account's month, as does every turn unless the provider fails. An unusable " +
    `answer is a 502, and counts too. ${PER_MINUTE}\n\n` +
    "With `Accept: text/event-stream`, the message is streamed.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: CreatorMessage,
    example: CREATOR_MESSAGE_EXAMPLE,
    description: "The message.",
  },
  success: [{
    status: 200,
    description: "The answer.",
    data: CreatorTurn,
    example: CREATOR_TURN_EXAMPLE,
    message: "Answered",
    content: { type: "text/event-stream", schema: CreatorStream, example: CREATOR_STREAM_EXAMPLE },
  }],
  problems: MODEL_PROBLEMS,
  extraMs: AI_TIMEOUT_MS,
});

export const endDesign = contract({
  operationId: "endDesign",
  tag: TAG,
  method: "delete",
  path: "/api/projects/{projectId}/ai/collection-creator/session",
  summary: "End the design chat for the project's admins",
  description: "Deletes the account's chat in this project, and its proposal. Its turns still " +
    "count against the month.",
  security: projectMember("admin"),
  params: { projectId },
  success: okAnswer("Chat ended", "The chat has ended.", {
    data: ChatEnded,
    example: { ended: true },
  }),
  problems: [],
});

export const applyDesign = contract({
  operationId: "applyDesign",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/ai/collection-creator/apply",
  summary: "Create the designed collections for the project's admins",
  description: "Creates all collections of the last proposal in the account's chat, or none.",
  security: projectMember("admin"),
  params: { projectId },
  success: createdAnswer("Collections created", "The collections.", {
    data: AppliedProposal,
    example: APPLIED_EXAMPLE,
  }),
  problems: [
    "PROPOSAL_NOT_FOUND",
    "COLLECTION_EXISTS",
    "INVALID_DEFINITION",
    "PLAN_LIMIT_REACHED",
  ],
});

export const AI = {
  setAccountAiKey,
  setProjectAiKey,
  getAiUsage,
  buildQuery,
  designCollections,
  applyDesign,
  endDesign,
};
