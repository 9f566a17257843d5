import { checkDocuments } from "@/lib/documents/check_documents.ts";
import { violationText } from "@/lib/documents/violations.ts";
import { recountDocuments } from "@/lib/documents/recount.ts";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { OPERATOR } from "@/lib/store/changes.ts";
import type { Services } from "@/lib/services.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { projectId } from "./inputs.ts";

export const DOCUMENT_COMMANDS: readonly (readonly [string, Command])[] = [
  ["documents recount", {
    summary: "Count the bytes of a project's documents again",
    usage: "--project ID",
    options: { values: ["project"] },
    run: async (services, args) => recountDocuments(services, await projectId(services, args)),
  }],
  ["definition check", {
    summary: "Check all documents against their collections' definitions",
    usage: "--project ID [--collection NAME]",
    options: { values: ["project", "collection"] },
    run: checkDefinitions,
  }],
];

async function checkDefinitions(services: Services, args: Arguments) {
  const project = await projectId(services, args);
  const named = args.optional("collection");
  const names = named === null
    ? (await listCollections(services, project)).map(({ name }) => name)
    : [named];
  const collections = [];
  for (const name of names) {
    const { checked, mended, violations } = await checkDocuments(services, {
      projectId: project,
      name,
      actor: OPERATOR,
    });
    collections.push({
      name,
      checked,
      mended,
      violations: violations.map((one) => ({ id: one.id, why: violationText(one) })),
    });
  }
  return { ok: collections.every(({ violations }) => violations.length === 0), collections };
}
