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
      "collection, `removeUnheldFile` of a file that no document refers to any more, or another kind.",
  }),
  subject: z.string().nullable().openapi({
    description: "The file's path or the collection's name. Null for jobs that members cannot run.",
  }),
  createdAt: time,
  dueAt: time.openapi({ description: "Time of the next try, unless the job is running." }),
  isRunning: z.boolean().openapi({ description: "Whether the job is running." }),
  tries: z.int().min(0).openapi({ description: "Number of failed tries." }),
  failure: z.string().nullable().openapi({
    description: "Reason for the last failure; null if there was none.",
  }),
}).openapi("Job", { description: "Pending work of the project.", example: JOB_EXAMPLE });

export const JobList = z.strictObject({
  items: z.array(Job),
  total: z.int().min(0).openapi({
    description: "Number of all jobs, including those that are not listed.",
  }),
}).openapi("JobList", { example: { items: [JOB_EXAMPLE], total: 1 } });

export const TriedJob = z.strictObject({
  done: z.boolean().openapi({
    description: "Whether the job is done, by this try or an earlier one.",
  }),
}).openapi("TriedJob", { example: { done: true } });
