import { z } from "@hono/zod-openapi";
import { KEY_GRACE_HOURS_MAX } from "@/lib/limits.ts";
import { KEY_KINDS } from "@/lib/projects/api_keys.ts";
import { bodyOf } from "../inputs.ts";
import { CREATED_PROJECT_EXAMPLE } from "./project.ts";
import { time } from "./values.ts";

const kind = z.enum(KEY_KINDS);

const formerValidUntil = time.nullable().openapi({
  description: "Until when the key before works as well; null if none does.",
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
    description: "The publishable key. Null of a secret one, which is shown once, and where only " +
      "its hash is known.",
  }),
  start: z.string().nullable().openapi({
    description: "The first characters of the secret key; null where they are not known.",
  }),
  createdAt: time,
  formerValidUntil,
}).openapi("ProjectKey", { example: PROJECT_KEY_EXAMPLES[1] });

const HOURS = `"graceHours" must be a whole number from 0 to ${KEY_GRACE_HOURS_MAX}.`;

export const KeyRotation = bodyOf({
  graceHours: z.int(HOURS).min(0, HOURS).max(KEY_GRACE_HOURS_MAX, HOURS).default(0).openapi({
    description: "For how many hours the present key works as well.",
  }),
}).optional().openapi("KeyRotation", { example: { graceHours: 24 } });

export const ROTATED_KEY_EXAMPLE = {
  kind: "secret",
  key: CREATED_PROJECT_EXAMPLE.secretKey,
  formerValidUntil: "2026-02-01T12:00:00.000Z",
};

export const RotatedKey = z.strictObject({
  kind,
  key: z.string().openapi({ description: "A secret key is shown this once." }),
  formerValidUntil,
}).openapi("RotatedKey", { example: ROTATED_KEY_EXAMPLE });

export const EndedKey = z.strictObject({
  kind,
  ended: z.boolean().openapi({ description: "Whether there was one that worked." }),
}).openapi("EndedKey", { example: { kind: "secret", ended: true } });
