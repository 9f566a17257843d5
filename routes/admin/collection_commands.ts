import { parseDefinition, parseReplacement } from "@/lib/documents/definition.ts";
import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import {
  createCollection,
  listCollections,
  updateCollection,
} from "@/lib/documents/save_collection.ts";
import { renameCollection } from "@/lib/operations/rename_collection.ts";
import type { Command } from "./command.ts";
import { jsonFile, projectId } from "./inputs.ts";

export const COLLECTION_COMMANDS: readonly (readonly [string, Command])[] = [
  ["collection create", {
    summary: "Create a collection from its definition",
    usage: "--project ID --file FILE|-",
    options: { values: ["project", "file"] },
    run: async (services, args) =>
      createCollection(
        services,
        await projectId(services, args),
        parseDefinition(await jsonFile(args)),
      ),
  }],
  ["collection update", {
    summary: "Replace the definition of a collection",
    usage: "--project ID --file FILE|-",
    options: { values: ["project", "file"] },
    run: async (services, args) =>
      updateCollection(
        services,
        await projectId(services, args),
        parseReplacement(await jsonFile(args)),
      ),
  }],
  ["collection rename", {
    summary: "Rename a collection, also in fields and webhooks that name it",
    usage: "--project ID --collection NAME --name NAME",
    options: { values: ["project", "collection", "name"] },
    run: async (services, args) =>
      renameCollection(services, await projectId(services, args), {
        from: args.required("collection"),
        to: args.required("name"),
      }),
  }],
  ["collection list", {
    summary: "List the collections of a project with their definitions",
    usage: "--project ID",
    options: { values: ["project"] },
    run: async (services, args) => ({
      collections: await listCollections(services, await projectId(services, args)),
    }),
  }],
  ["collection delete", {
    summary: "Delete a collection and its documents permanently",
    usage: "--project ID --collection NAME",
    options: { values: ["project", "collection"] },
    async run(services, args) {
      const name = args.required("collection");
      await deleteCollection(services, await projectId(services, args), name);
      return { collection: name };
    },
  }],
];
