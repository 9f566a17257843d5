import { checkStorage } from "@/lib/files/check_storage.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import { clearStorage, describeStorage, setStorage } from "@/lib/files/storage_settings.ts";
import { parseStorageInput, storageRules } from "@/lib/files/storage_input.ts";
import type { Command } from "./command.ts";
import { projectId, secretJsonFile } from "./inputs.ts";

export const STORAGE_COMMANDS: readonly (readonly [string, Command])[] = [
  ["storage set", {
    summary: "Store a project's files in its own bucket",
    usage: "--project ID --file FILE|-",
    options: { values: ["project", "file"] },
    async run(services, args) {
      const project = await projectId(services, args);
      const given = parseStorageInput(storageRules(services), await secretJsonFile(args));
      return describeStorage(await setStorage(services, project, given));
    },
  }],
  ["storage check", {
    summary: "Check the bucket of a project",
    usage: "--project ID",
    options: { values: ["project"] },
    run: async (services, args) => checkStorage(services, await projectId(services, args)),
  }],
  ["storage clear", {
    summary: "Store a project's new files in Corbel's own store again",
    usage: "--project ID",
    options: { values: ["project"] },
    async run(services, args) {
      await clearStorage(services, await projectId(services, args));
      return { provider: "internal" };
    },
  }],
  ["storage reconcile", {
    summary: "Compare a project's stored files with their records",
    usage: "--project ID [--repair]",
    options: { values: ["project"], flags: ["repair"] },
    run: async (services, args) =>
      reconcile(services, await projectId(services, args), { repair: args.flag("repair") }),
  }],
];
