import { z } from "zod";
import { parseDefinition, referencedCollections } from "../documents/definition.ts";
import type { CollectionDefinition } from "../documents/fields.ts";
import { FIELD_TYPE_NAMES } from "../store/field_types.ts";
import { quoted } from "../text/input_text.ts";
import { AI_PROPOSED_COLLECTIONS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

const type = z.enum(FIELD_TYPE_NAMES);
const ref = z.string().nullable();

/** Schema with all members required, which models handle best. Null means omitted. */
const Member = z.object({ key: z.string(), type, required: z.boolean(), ref });

const Field = z.object({
  key: z.string(),
  type,
  required: z.boolean(),
  unique: z.boolean(),
  index: z.boolean(),
  ref,
  items: z.object({ type, ref }).nullable(),
  fields: z.array(Member).nullable(),
});

export const CreatorAnswer = z.object({
  type: z.enum(["clarify", "schema", "complete"]),
  message: z.string().min(1),
  collections: z.array(z.object({
    name: z.string(),
    fields: z.array(Field),
    access: z.enum(["private", "public-read", "server-write"]),
  })).max(AI_PROPOSED_COLLECTIONS_MAX).nullable(),
});

type ProposedCollections = NonNullable<z.infer<typeof CreatorAnswer>["collections"]>;

/** Validates a proposal like a request. Throws `AI_ANSWER_INVALID`. */
export function parseProposal(
  proposed: ProposedCollections,
  existing: readonly string[],
): CollectionDefinition[] {
  try {
    const definitions = proposed.map((one) => parseDefinition(toDefinitionInput(one)));
    const names = [...existing, ...definitions.map(({ name }) => name)];
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length) {
      throw new Error("a name is taken");
    }
    const refs = definitions.flatMap(({ fields }) => referencedCollections(fields));
    const missing = refs.find((name) => name !== "users" && !names.includes(name));
    if (missing !== undefined) throw new Error(`a Ref to ${quoted(missing)} leads nowhere`);
    return definitions;
  } catch (cause) {
    throw new Problem("AI_ANSWER_INVALID", { cause });
  }
}

/** Returns the input of parseDefinition(). `server-write` is without row-level security. */
const toDefinitionInput = ({ name, fields, access }: ProposedCollections[number]) => ({
  name,
  fields: fields.map(withoutNulls),
  rls: access === "server-write" ? { enabled: false } : { enabled: true, mode: access },
});

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, inner]) => inner !== null)
      .map(([name, inner]) => [name, withoutNulls(inner)]),
  );
}
