import { recountDocuments } from "@/lib/documents/recount.ts";
import type { Command } from "./command.ts";
import { projectId } from "./inputs.ts";

/** What is done about the documents of a project. */
export const DOCUMENT_COMMANDS: readonly (readonly [string, Command])[] = [
  ["documents recount", {
    usage: "--project ID",
    options: { values: ["project"] },
    run: async (services, args) => recountDocuments(services, await projectId(services, args)),
  }],
];
