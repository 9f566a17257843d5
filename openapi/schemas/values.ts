import { z } from "@hono/zod-openapi";
import { ID } from "@/lib/ids.ts";

export const EXAMPLE_ID = "66f1a0c2e4b0a1b2c3d4e5f6";

export const id = z.string().regex(ID);

export const time = z.iso.datetime();

/** Returns the schema of a page, for lists other than documents. */
export const pageOf = (item: z.ZodType, name: string, example: unknown) =>
  z.strictObject({
    items: z.array(item),
    nextCursor: z.string().nullable().openapi({ example: null }),
  }).openapi(name, { example: { items: [example], nextCursor: null } });
