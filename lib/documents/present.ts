import type { Caller } from "../auth/principals.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { type AccessServices, type Readable } from "./access.ts";
import type { Members } from "./document.ts";
import { populate } from "./populate.ts";
import type { Presentation, Projection } from "./query.ts";

const META = ["createdAt", "updatedAt", "isDeleted", "deletedAt"];

/** Whether documents are to be shown just as they are stored. */
export const isPlain = ({ projection, meta, populate }: Presentation): boolean =>
  projection === null && meta && populate.length === 0;

/**
 * JSON texts of documents, joined by commas, as the query wants them shown. What is shown as
 * stored is never parsed.
 */
export async function present(
  services: AccessServices,
  caller: Caller,
  source: Pick<Readable, "collection">,
  items: string,
  presentation: Presentation,
): Promise<string> {
  if (isPlain(presentation) || items === "") return items;
  const documents = parseJson(`[${items}]`) as Members[];
  await populate(services, caller, { ...source, paths: presentation.populate }, documents);
  const shown = documents.map((document) => {
    const kept = presentation.meta ? document : without(document, META);
    return presentation.projection === null ? kept : projected(kept, presentation.projection);
  });
  return shown.map((document) => jsonText(document)).join(",");
}

function projected(document: Members, { paths, leaveOut }: Projection): Members {
  if (leaveOut) return without(document, paths.filter((path) => path !== "_id"));
  const shown: Members = { _id: document._id! };
  for (const path of paths) copy(document, shown, path.split("."));
  return shown;
}

function copy(from: Members, to: Members, [name, ...rest]: readonly string[]): void {
  if (name === undefined || !Object.hasOwn(from, name)) return;
  const value = from[name]!;
  if (rest.length === 0) to[name] = value;
  else if (isObject(value)) {
    const inner = isObject(to[name]) ? to[name] : {};
    to[name] = inner;
    copy(value, inner, rest);
  }
}

function without(document: Members, paths: readonly string[]): Members {
  const kept = structuredClone(document);
  for (const path of paths) {
    const names = path.split(".");
    const last = names.pop()!;
    let parent: Json | undefined = kept;
    for (const name of names) parent = isObject(parent) ? parent[name] : undefined;
    if (isObject(parent)) delete parent[last];
  }
  return kept;
}
