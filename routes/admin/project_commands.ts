import { listTrashed, restoreProject, trashForOperator } from "@/lib/operations/project_trash.ts";
import { Problem } from "@/lib/problems.ts";
import { authSettingsOf } from "@/lib/projects/auth_settings.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { fileSettingsOf } from "@/lib/projects/file_settings.ts";
import { eachProject } from "@/lib/projects/projects.ts";
import { storeName } from "@/lib/runtime/unused_store.ts";
import type { Services } from "@/lib/services.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { fileSchemas, jsonFile, ownerId, projectId, projectIdArgument } from "./inputs.ts";

export const PROJECT_COMMANDS: readonly (readonly [string, Command])[] = [
  ["project create", {
    summary: "Create a project; its secret key is shown only now",
    usage: "--name NAME [--site-url URL] [--owner EMAIL] [--new]",
    options: { values: ["name", "site-url", "owner"], flags: ["new"] },
    canInitialize: (args) => args.flag("new"),
    run: create,
  }],
  ["project list", {
    summary: "List the projects, or those in the trash",
    usage: "[--deleted]",
    options: { values: [], flags: ["deleted"] },
    run: async (services, args) => ({
      projects: args.flag("deleted")
        ? await listTrashed(services)
        : (await Array.fromAsync(eachProject(services)))
          .map(({ _id, name }) => ({ projectId: _id, name })),
    }),
  }],
  ["project update", {
    summary: "Change the name or the Site URL of a project",
    usage: "--project ID [--name NAME] [--site-url URL]",
    options: { values: ["project", "name", "site-url"] },
    run: update,
  }],
  ["project set", {
    summary: "Change settings of a project from a file",
    usage: "--project ID --file FILE|-",
    options: { values: ["project", "file"] },
    async run(services, args) {
      const { projectChangesOf } = await fileSchemas();
      const id = await projectId(services, args);
      const changes = projectChangesOf(await jsonFile(args));
      const project = await changeProject(services, id, changes);
      const { name, siteUrl, allowedOrigins } = project;
      const [auth, files] = [authSettingsOf(project), fileSettingsOf(project)];
      return { projectId: id, name, siteUrl, allowedOrigins, auth, files };
    },
  }],
  ["project delete", {
    summary: "Move a project to the trash, where it is not served",
    usage: "--project ID",
    options: { values: ["project"] },
    async run(services, args) {
      const id = await projectId(services, args);
      return { projectId: id, restorableUntil: await trashForOperator(services, id) };
    },
  }],
  ["project restore", {
    summary: "Restore a project from the trash",
    usage: "--project ID",
    options: { values: ["project"] },
    async run(services, args) {
      const projectId = projectIdArgument(args);
      await restoreProject(services, projectId);
      return { projectId };
    },
  }],
];

async function create(services: Services, args: Arguments) {
  const { projectId, publishableKey, secretKey } = await createProject(services, {
    name: args.required("name"),
    siteUrl: args.optional("site-url"),
    ownerId: await ownerId(services, args),
    isByOperator: true,
  });
  console.error(`The project is in ${storeName(services.config)}.`);
  return { projectId, publishableKey, secretKey };
}

/** Changes the name or the Site URL, which an empty value clears. */
async function update(services: Services, args: Arguments) {
  const id = await projectId(services, args);
  const [given, siteUrl] = [args.optional("name"), args.optional("site-url")];
  if (given === null && siteUrl === null) {
    throw new Problem("INVALID_INPUT", { message: "Give --name, --site-url, or both." });
  }
  const project = await changeProject(services, id, {
    ...(given !== null && { name: given }),
    ...(siteUrl !== null && { siteUrl: siteUrl === "" ? null : siteUrl }),
  });
  return { projectId: id, name: project.name, siteUrl: project.siteUrl };
}
