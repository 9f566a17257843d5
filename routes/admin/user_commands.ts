import { createUser } from "@/lib/auth/create_user.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { requiredId } from "@/lib/ids.ts";
import { ACCESS_TOKEN_SECONDS } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { OPERATOR } from "@/lib/store/changes.ts";
import { deleteUser, listUsers } from "@/lib/users/manage_users.ts";
import { toManagedUser } from "@/lib/users/user_details.ts";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { fileSchemas, jsonFile, pageRequest, projectId } from "./inputs.ts";

const TOKEN_SECONDS_MAX = 365 * 86_400;

export const USER_COMMANDS: readonly (readonly [string, Command])[] = [
  ["user fields", {
    summary: "Declare a project's own fields of users",
    usage: "--project ID --file FILE|-",
    options: { values: ["project", "file"] },
    async run(services, args) {
      const { userFieldsOf } = await fileSchemas();
      const id = await projectId(services, args);
      const { fields } = userFieldsOf(await jsonFile(args));
      return { fields: await saveUserFields(services, id, fields) };
    },
  }],
  ["user create", {
    summary: "Create a user of a project",
    usage: "--project ID --email EMAIL [--verified]",
    options: { values: ["project", "email"], flags: ["verified"] },
    run: async (services, args) => ({
      userId: await createUser(services, await projectId(services, args), {
        email: args.required("email"),
        verified: args.flag("verified"),
      }),
    }),
  }],
  ["user list", {
    summary: "List the users of a project, the newest first",
    usage: "--project ID [--email EMAIL] [--search TEXT] [--limit N] [--cursor CURSOR]",
    options: { values: ["project", "email", "search", "limit", "cursor"] },
    run: list,
  }],
  ["user delete", {
    summary: "Delete a user and end their sessions; their documents stay",
    usage: "--project ID --user USERID",
    options: { values: ["project", "user"] },
    async run(services, args) {
      const userId = requiredId(args.required("user"));
      const within = { projectId: await projectId(services, args), actor: OPERATOR };
      await deleteUser(services, within, userId);
      return { userId };
    },
  }],
  ["token issue", {
    summary: "Issue an access token for a user, for tests",
    usage: "--project ID --user USERID [--ttl SECONDS]",
    options: { values: ["project", "user", "ttl"] },
    run: async (services, args) => ({
      accessToken: await issueToken(services, await projectId(services, args), {
        userId: args.required("user"),
        seconds: lifetime(args),
      }),
    }),
  }],
];

async function list(services: Services, args: Arguments) {
  const id = await projectId(services, args);
  const { items, nextCursor } = await listUsers(services, id, {
    ...pageRequest(args),
    email: args.optional("email") ?? undefined,
    search: args.optional("search") ?? undefined,
  });
  const declared = await services.userFields.ofProject(id);
  return { users: items.map((user) => toManagedUser(declared, user)), nextCursor };
}

function lifetime(args: Arguments): number {
  const text = args.optional("ttl");
  if (text === null) return ACCESS_TOKEN_SECONDS;
  const seconds = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  if (seconds <= TOKEN_SECONDS_MAX) return seconds;
  throw new Problem("INVALID_INPUT", {
    message: `--ttl must be a whole number of seconds from 1 to ${TOKEN_SECONDS_MAX}.`,
  });
}
