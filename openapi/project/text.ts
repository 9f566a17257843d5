import { inSlices } from "@/lib/next_turn.ts";

/** Levels of a document below which a value is small: a path, or a component. */
const LEVELS = 3;

/** Resolves to the JSON text of a document, between whose parts the thread answers other requests. */
export async function documentText(document: object): Promise<string> {
  const parts: string[] = [];
  await inSlices(partsOf(document, LEVELS), (part) => void parts.push(part));
  return parts.join("");
}

function* partsOf(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== "object" || value === null || Array.isArray(value)) {
    yield JSON.stringify(value);
    return;
  }
  let before = "{";
  for (const [name, inner] of Object.entries(value)) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(inner, levels - 1);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}
