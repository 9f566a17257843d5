import { z } from "@hono/zod-openapi";
import { KEY_GRACE_HOURS_MAX } from "@/lib/limits.ts";
import { KEY_KINDS } from "@/lib/projects/api_keys.ts";
import { bodyOf } from "../inputs.ts";
import { CREATED_PROJECT_EXAMPLE } from "./project.ts";
import { time } from "./values.ts";

const kind = z.enum(KEY_KINDS);

const formerValidUntil = time.nullable().openapi({
  description: "Time until which the previous key works too; null if it does not.",
});

export const PROJECT_KEY_EXAMPLES = [
  {
    kind: "publishable",
    key: CREATED_PROJECT_EXAMPLE.publishableKey,
    start: null,
    createdAt: "2026-01-31T12:00:00.000Z",
    formerValidUntil: null,
  },
  {
    kind: "secret",
    key: null,
    start: CREATED_PROJECT_EXAMPLE.secretKey.slice(0, 12),
    createdAt: "2026-01-31T12:00:00.000Z",
    formerValidUntil: "2026-02-01T12:00:00.000Z",
  },
];

export const ProjectKey = z.strictObject({
  kind,
  key: z.string().nullable().openapi({
    description: "The publishable key. Null for a secret key, which is shown only once, and if " +
      "only the hash is stored.",
  }),
  start: z.string().nullable().openapi({
    description: "The first characters of the secret key; null if they are unknown.",
  }),
  createdAt: time,
  formerValidUntil,
}).openapi("ProjectKey", { example: PROJECT_KEY_EXAMPLES[1] });

const HOURS = `"graceHours" must be a whole number from 0 to ${KEY_GRACE_HOURS_MAX}.`;

export const KeyRotation = bodyOf({
  graceHours: z.int(HOURS).min(0, HOURS).max(KEY_GRACE_HOURS_MAX, HOURS).default(0).openapi({
    description: "Number of hours for which the current key still works.",
  }),
}).optional().openapi("KeyRotation", { example: { graceHours: 24 } });

export const ROTATED_KEY_EXAMPLE = {
  kind: "secret",
  key: CREATED_PROJECT_EXAMPLE.secretKey,
  formerValidUntil: "2026-02-01T12:00:00.000Z",
};

export const RotatedKey = z.strictObject({
  kind,
  key: z.string().openapi({ description: "A secret key is shown only once." }),
  formerValidUntil,
}).openapi("RotatedKey", { example: ROTATED_KEY_EXAMPLE });

export const EndedKey = z.strictObject({
  kind,
  ended: z.boolean().openapi({
    description: "Whether there was a previous key that still worked.",
  }),
}).openapi("EndedKey", { example: { kind: "secret", ended: true } });
