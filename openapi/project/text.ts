import { inSlices } from "@/lib/next_turn.ts";

/** Number of levels that are split. Values below them, such as a path or a component, are small. */
const LEVELS = 3;

/** Resolves to the JSON text of a document. The thread answers other requests between its parts. */
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
