import { z } from "@hono/zod-openapi";
import { TOKEN_ACCESS } from "@/lib/accounts/token_records.ts";
import { ID_ANY_CASE } from "@/lib/ids.ts";
import {
  ACCOUNT_TOKEN_DAYS_DEFAULT,
  ACCOUNT_TOKEN_DAYS_MAX,
  ACCOUNT_TOKEN_NAME_LENGTH_MAX,
  ACCOUNT_TOKEN_PROJECTS_MAX,
} from "@/lib/limits.ts";
import { bodyOf, singleLine } from "../inputs.ts";
import { EXAMPLE_ID, id, pageOf, time } from "./values.ts";

const NAME = `"name" must be one line of 1 to ${ACCOUNT_TOKEN_NAME_LENGTH_MAX} characters.`;
const ACCESS = `"access" must be ${TOKEN_ACCESS.join(" or ")}.`;
const PROJECTS = '"projects" must be "all" or a list of 1 to ' +
  `${ACCOUNT_TOKEN_PROJECTS_MAX} ids of projects.`;
const DAYS = `"expiresInDays" must be a whole number from 1 to ${ACCOUNT_TOKEN_DAYS_MAX}.`;

const access = z.enum(TOKEN_ACCESS, { error: ACCESS }).openapi({
  description:
    "`read` allows only GET and HEAD; `write` allows everything that the account may do.",
});

export const TOKEN_INPUT_EXAMPLE = {
  name: "Deployment",
  access: "write" as const,
  projects: [EXAMPLE_ID],
  expiresInDays: 30,
};

const projectIds = z.array(z.string(PROJECTS).regex(ID_ANY_CASE, PROJECTS).toLowerCase(), PROJECTS)
  .min(1, PROJECTS).max(ACCOUNT_TOKEN_PROJECTS_MAX, PROJECTS);

export const AccountTokenInput = bodyOf({
  name: singleLine(ACCOUNT_TOKEN_NAME_LENGTH_MAX, NAME).openapi({
    description: "The token's purpose.",
  }),
  access,
  projects: z.union([z.literal("all"), projectIds], { error: PROJECTS }).openapi({
    description: "The projects that the token can use: `all` of which the account is a member at " +
      "the time, or these. Only a token for `all` can create projects.",
  }),
  expiresInDays: z.int(DAYS).min(1, DAYS).max(ACCOUNT_TOKEN_DAYS_MAX, DAYS)
    .default(ACCOUNT_TOKEN_DAYS_DEFAULT),
}).openapi("AccountTokenInput", { example: TOKEN_INPUT_EXAMPLE });

const tokenMembers = {
  id,
  name: z.string(),
  access: z.enum(TOKEN_ACCESS),
  projects: z.union([z.literal("all"), z.array(id)]),
  lastFour: z.string().openapi({ description: "The last four characters of the token." }),
  createdAt: time,
  expiresAt: time,
  lastUsedAt: time.nullable().openapi({
    description: "Updated at most once an hour; null until the token is used.",
  }),
};

export const TOKEN_EXAMPLE = {
  id: EXAMPLE_ID,
  name: TOKEN_INPUT_EXAMPLE.name,
  access: TOKEN_INPUT_EXAMPLE.access,
  projects: TOKEN_INPUT_EXAMPLE.projects,
  lastFour: "AAAA",
  createdAt: "2026-01-31T12:00:00.000Z",
  expiresAt: "2026-03-02T12:00:00.000Z",
  lastUsedAt: null,
};

const AccountToken = z.strictObject(tokenMembers).openapi("AccountToken", {
  description: "A personal access token, without the token itself.",
  example: TOKEN_EXAMPLE,
});

export const AccountTokenList = pageOf(AccountToken, "AccountTokenList", TOKEN_EXAMPLE);

export const CREATED_TOKEN_EXAMPLE = { ...TOKEN_EXAMPLE, token: `corbel_pat_${"A".repeat(43)}` };

export const CreatedAccountToken = z.strictObject({
  ...tokenMembers,
  token: z.string().openapi({
    description: "Send it as `Authorization: Bearer <token>`. Shown only once.",
  }),
}).openapi("CreatedAccountToken", { example: CREATED_TOKEN_EXAMPLE });

export const DeletedAccountToken = z.strictObject({ id })
  .openapi("DeletedAccountToken", { example: { id: EXAMPLE_ID } });
