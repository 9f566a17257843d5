import { importLate } from "@/lib/import_late.ts";
import { getProjectFacts } from "@/lib/operations/project_facts.ts";
import { Problem } from "@/lib/problems.ts";
import type { Command } from "./command.ts";
import { projectId } from "./inputs.ts";

type Types = typeof import("@/openapi/project/typescript.ts");

export const TYPE_COMMANDS: readonly (readonly [string, Command])[] = [
  ["types", {
    summary: "Print TypeScript types of a project's collections",
    usage: "--project ID [--audience client|server]",
    options: { values: ["project", "audience"] },
    text: "types",
    async run(services, args) {
      // Loaded on demand, because it declares all operations and takes long to load.
      const { AUDIENCES, projectTypes } = await importLate<Types>(
        import.meta.resolve("@/openapi/project/typescript.ts"),
      );
      const given = args.optional("audience") ?? "client";
      const audience = AUDIENCES.find((one) => one === given);
      if (audience === undefined) {
        throw new Problem("INVALID_INPUT", { message: "--audience must be client or server." });
      }
      const facts = await getProjectFacts(services, await projectId(services, args));
      return { types: await projectTypes(facts, { audience }) };
    },
  }],
];
