import type { z } from "zod";
import { AI_REQUESTS_PER_MINUTE, AI_TIMEOUT_MS } from "@/lib/limits.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { answered, created } from "../answers.ts";
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
  description: "Whether a key is stored now.",
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
  description: "The AI operations of the account then run on this key, and no cap applies, where " +
    "the project has no key of its own. It is kept sealed and never answered.",
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
  description: "The AI operations of the project then run on this key, whoever asks, and no cap " +
    "applies. It is kept sealed and never answered.",
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
  description: "Requests of this month on the platform's key, beside the plan's caps.",
  security: sessionOrToken,
  success: answered("AI usage read", "Counts and caps.", {
    data: AiUsage,
    example: AI_USAGE_EXAMPLE,
  }),
  problems: [],
});

const PER_MINUTE =
  `An account makes at most ${AI_REQUESTS_PER_MINUTE} AI requests a minute, whichever key is used.`;

/** Why a model may give no answer. */
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
  description: "Has the model write filters and a sort for a collection, and answers them as a " +
    "query that the list of its documents takes as it is. The model is told which fields are " +
    "declared, never what is stored. On the platform's key it counts against the account's month, " +
    `unless the provider fails. ${PER_MINUTE}`,
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: QueryQuestion,
    example: QUERY_QUESTION_EXAMPLE,
    description: "Which collection, and what is looked for.",
  },
  success: answered("Query built", "The query.", {
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
  description:
    "One turn of a chat, of which each account has one in a project, kept for two hours " +
    "after its last turn. What is proposed obeys the rules of definitions, and nothing is made of " +
    "it before it is applied. On the platform's key the first proposal of a chat counts against " +
    "the account's month, as every turn does unless the provider fails, and a chat has 20 turns. " +
    `An answer that cannot be used is a 502, and counts as well. ${PER_MINUTE}\n\n` +
    "With `Accept: text/event-stream` the message is sent as it is written.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: CreatorMessage,
    example: CREATOR_MESSAGE_EXAMPLE,
    description: "What is to be said.",
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
  description:
    "Forgets the account's chat in this project, and its proposal. What was counted of " +
    "the month stays counted.",
  security: projectMember("admin"),
  params: { projectId },
  success: answered("Chat ended", "There is no chat any more.", {
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
  description: "Creates all collections that were proposed last in the account's chat, or none.",
  security: projectMember("admin"),
  params: { projectId },
  success: created("Collections created", "The collections.", {
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

/** In the order of the reference. */
export const AI = {
  setAccountAiKey,
  setProjectAiKey,
  getAiUsage,
  buildQuery,
  designCollections,
  applyDesign,
  endDesign,
};
