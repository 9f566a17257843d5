import { CODES } from "@/lib/credentials/codes.ts";
import { ALL, eq, not } from "@/lib/store/filter.ts";
import type { Definition, Engine, Space } from "@/lib/store/port.ts";

/** Counts the records of a kind. Codes are counted only if they belong to a person. */
export const countIn = (
  { engine }: { readonly engine: Engine },
  space: Space,
  definition: Definition,
): Promise<number> =>
  engine.records(space, definition).count(definition === CODES ? not(eq("codeHash", "")) : ALL);
