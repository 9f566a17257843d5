import { z } from "@hono/zod-openapi";
import { EXAMPLE_ID, id, time } from "./values.ts";

export const JOB_EXAMPLE = {
  id: EXAMPLE_ID,
  kind: "removeObjects",
  subject: "66f1a0c2e4b0a1b2c3d4e5f6/0198c1de_photo.png",
  createdAt: "2026-01-31T12:00:00.000Z",
  dueAt: "2026-01-31T12:04:00.000Z",
  isRunning: false,
  tries: 2,
  failure: "The bucket cannot be reached.",
};

const Job = z.strictObject({
  id,
  kind: z.string().openapi({
    description: "`removeObjects` of a file, `removeCollection` for the documents of a deleted " +
      "collection, `removeUnheldFile` of a file that no document holds any more, or another one.",
  }),
  subject: z.string().nullable().openapi({
    description: "The file's path or the collection's name. Null of jobs that members cannot try.",
  }),
  createdAt: time,
  dueAt: time.openapi({ description: "When it is tried next, if nobody is at it." }),
  isRunning: z.boolean().openapi({ description: "Whether it is being done." }),
  tries: z.int().min(0).openapi({ description: "How often it was tried in vain." }),
  failure: z.string().nullable().openapi({
    description: "Why the last try failed; null where it did not.",
  }),
}).openapi("Job", { description: "Something still to be done.", example: JOB_EXAMPLE });

export const JobList = z.strictObject({
  items: z.array(Job),
  total: z.int().min(0).openapi({ description: "All of them, also those that are not shown." }),
}).openapi("JobList", { example: { items: [JOB_EXAMPLE], total: 1 } });

export const TriedJob = z.strictObject({
  done: z.boolean().openapi({ description: "Whether it is done, by this try or before." }),
}).openapi("TriedJob", { example: { done: true } });
