import { z } from "@hono/zod-openapi";
import { KEY_GRACE_HOURS_MAX } from "@/lib/limits.ts";
import { answered } from "../answers.ts";
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
  description: "The publishable key, which may be public, and by what the secret one is known.",
  security: projectMember("viewer"),
  params: { projectId },
  success: answered("Keys listed", "The keys.", {
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
  description: "Puts a new key in the place of the present one, which is refused from now on, or " +
    `after up to ${KEY_GRACE_HOURS_MAX} hours (\`graceHours\`). Of each kind one former key works ` +
    "at most: one from a rotation before is refused from now on. A new secret key is shown this " +
    "once.",
  security: projectMember("admin"),
  params: { projectId, kind: keyKind },
  body: {
    schema: KeyRotation,
    example: { graceHours: 24 },
    description: "May be left out.",
    optional: true,
  },
  success: answered("Key rotated", "The new key.", {
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
  description: "The key before the present one is refused from now on, though its grace would " +
    "last longer.",
  security: projectMember("admin"),
  params: { projectId, kind: keyKind },
  success: answered("Former key ended", "Only the present key works.", {
    data: EndedKey,
    example: { kind: "secret", ended: true },
  }),
  problems: [],
});

/** In the order of the reference. */
export const PROJECT_KEYS = { listProjectKeys, rotateProjectKey, endFormerProjectKey };
