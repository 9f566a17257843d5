import { z } from "@hono/zod-openapi";
import { storageSchema } from "@/lib/files/storage_input.ts";
import { StorageUsage, USAGE_EXAMPLE } from "./storage.ts";

const bucket = {
  endpoint: z.string().nullable().openapi({ description: "Null for AWS." }),
  region: z.string(),
  bucket: z.string(),
  pathStyle: z.boolean().openapi({
    description: "Whether the bucket's name is part of the path instead of the host.",
  }),
  publicUrl: z.string().nullable().openapi({
    description: "Address for public reads of the bucket; null if there is none.",
  }),
};

const BUCKET_EXAMPLE = {
  endpoint: "https://s3.example.com",
  region: "auto",
  bucket: "blog-files",
  pathStyle: true,
  publicUrl: "https://files.example.com",
};

export const OWN_STORAGE_EXAMPLE = {
  provider: "external" as const,
  ...BUCKET_EXAMPLE,
  hasKeys: true as const,
};

export const OwnStorage = z.strictObject({
  provider: z.literal("external"),
  ...bucket,
  hasKeys: z.literal(true),
}).openapi("OwnStorage", {
  description: "A project's own bucket. Its keys are never shown.",
  example: OWN_STORAGE_EXAMPLE,
});

export const PROJECT_STORAGE_EXAMPLE = { own: null, usage: USAGE_EXAMPLE };

export const ProjectStorage = z.strictObject({
  own: z.union([OwnStorage, z.null()]).openapi({
    description: "Null if the service's storage is used.",
  }),
  usage: StorageUsage,
}).openapi("ProjectStorage", {
  description: "Storage of a project's files, and its usage.",
  example: PROJECT_STORAGE_EXAMPLE,
});

export const STORAGE_INPUT_EXAMPLE = {
  ...BUCKET_EXAMPLE,
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

export const StorageSettingsInput = storageSchema({
  egress: { admits: () => true },
  allowPrivate: false,
}).openapi("StorageInput", { example: STORAGE_INPUT_EXAMPLE });

const step = z.strictObject({
  step: z.string(),
  result: z.enum(["ok", "warning", "failed", "skipped"]),
  message: z.string(),
});

export const CHECK_EXAMPLE = {
  ok: true,
  steps: [{
    step: "write",
    result: "ok" as const,
    message: "A signed URL takes a PUT, and the object is there.",
  }],
  corsRules: [],
  bucketPolicy: {},
};

export const StorageCheck = z.strictObject({
  ok: z.boolean().openapi({ description: "Whether no step failed." }),
  steps: z.array(step),
  corsRules: z.unknown().openapi({ description: "CORS rules of the bucket that browsers need." }),
  bucketPolicy: z.unknown().openapi({
    description: "Bucket policy that allows public reads of files, but not of unfinished uploads.",
  }),
}).openapi("StorageCheck", {
  description: "Result of each step of a trial upload to the bucket.",
  example: CHECK_EXAMPLE,
});
