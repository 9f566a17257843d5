import { z } from "@hono/zod-openapi";
import { KEY_GRACE_HOURS_MAX } from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { keyKind, projectId } from "../parameters.ts";
import {
  EndedKey,
  KeyRotation,
  PROJECT_KEY_EXAMPLES,
  ProjectKey,
  ROTATED_KEY_EXAMPLE,
  RotatedKey,
} from "../schemas/project_key.ts";
import { projectMember } from "../security.ts";

const TAG = "Projects";
const PATH = "/api/projects/{projectId}/keys";

export const listProjectKeys = contract({
  operationId: "listProjectKeys",
  tag: TAG,
  method: "get",
  path: PATH,
  summary: "List a project's API keys for its members",
  description:
    "The publishable key, which may be public, and the first characters of the secret key.",
  security: projectMember("viewer"),
  params: { projectId },
  success: okAnswer("Keys listed", "The keys.", {
    data: z.strictObject({ items: z.array(ProjectKey) }),
    example: { items: PROJECT_KEY_EXAMPLES },
  }),
  problems: [],
});

export const rotateProjectKey = contract({
  operationId: "rotateProjectKey",
  tag: TAG,
  method: "post",
  path: `${PATH}/{kind}/rotate`,
  summary: "Rotate an API key for the project's admins",
  description: "Creates a new key. The current key is refused immediately, or after up to " +
    `${KEY_GRACE_HOURS_MAX} hours (\`graceHours\`). At most one former key of each kind works: ` +
    "the key of an earlier rotation is refused immediately. A new secret key is shown only once.",
  security: projectMember("admin"),
  params: { projectId, kind: keyKind },
  body: {
    schema: KeyRotation,
    example: { graceHours: 24 },
    description: "The grace period. Optional.",
    optional: true,
  },
  success: okAnswer("Key rotated", "The new key.", {
    data: RotatedKey,
    example: ROTATED_KEY_EXAMPLE,
  }),
  problems: [],
});

export const endFormerProjectKey = contract({
  operationId: "endFormerProjectKey",
  tag: TAG,
  method: "delete",
  path: `${PATH}/{kind}/former`,
  summary: "End a rotated API key for the project's admins",
  description: "Refuses the previous key immediately, even if its grace period has not ended.",
  security: projectMember("admin"),
  params: { projectId, kind: keyKind },
  success: okAnswer("Former key ended", "Only the current key works.", {
    data: EndedKey,
    example: { kind: "secret", ended: true },
  }),
  problems: [],
});

export const PROJECT_KEYS = { listProjectKeys, rotateProjectKey, endFormerProjectKey };
