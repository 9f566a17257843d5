import { CONFIGURATION_FORMAT, pullConfiguration } from "@/lib/operations/project_configuration.ts";
import { pushConfiguration } from "@/lib/operations/push_configuration.ts";
import type { Services } from "@/lib/services.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { fileSchemas, jsonFile, projectId } from "./inputs.ts";
import { writeNewFile } from "./outputs.ts";

export const CONFIGURATION_COMMANDS: readonly (readonly [string, Command])[] = [
  ["project pull", {
    summary: "Print the configuration of a project, or write it to a file",
    usage: "--project ID [--to FILE]",
    options: { values: ["project", "to"] },
    run: pull,
  }],
  ["project push", {
    summary: "Apply a configuration file to a project",
    usage: "--project ID --from FILE|- [--dry-run] [--allow-loss]",
    options: { values: ["project", "from"], flags: ["dry-run", "allow-loss"] },
    async run(services, args) {
      const { configurationOf } = await fileSchemas();
      const id = await projectId(services, args);
      const given = configurationOf(await jsonFile(args, "from"));
      const dryRun = args.flag("dry-run");
      const allowLoss = args.flag("allow-loss");
      const changes = await pushConfiguration(services, id, given, { dryRun, allowLoss });
      return { dryRun, changes };
    },
  }],
];

async function pull(services: Services, args: Arguments) {
  const configuration = await pullConfiguration(services, await projectId(services, args));
  const configurationFile = { format: CONFIGURATION_FORMAT, ...configuration };
  const path = args.optional("to");
  if (path === null) return configurationFile;
  await writeNewFile(args.resolvePath(path), (file) => {
    const text = `${JSON.stringify(configurationFile, null, 2)}\n`;
    return ReadableStream.from([text]).pipeThrough(new TextEncoderStream()).pipeTo(file);
  });
  return { to: path };
}
