import { ACCOUNT_TOKENS_MAX } from "@/lib/limits.ts";
import { answered, created } from "../answers.ts";
import { contract } from "../contract.ts";
import { pageQuery, tokenId } from "../parameters.ts";
import {
  AccountTokenInput,
  AccountTokenList,
  CREATED_TOKEN_EXAMPLE,
  CreatedAccountToken,
  DeletedAccountToken,
  TOKEN_EXAMPLE,
  TOKEN_INPUT_EXAMPLE,
} from "../schemas/account_token.ts";
import { dashboardSession } from "../security.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";

const TAG = "Accounts";

export const listAccountTokens = contract({
  operationId: "listAccountTokens",
  tag: TAG,
  method: "get",
  path: "/api/auth/tokens",
  summary: "List the signed-in account's personal access tokens",
  description:
    "Those that have not expired, the newest first. The tokens themselves are not shown.",
  security: dashboardSession,
  query: pageQuery,
  success: answered("Tokens listed", "A page of tokens.", {
    data: AccountTokenList,
    example: { items: [TOKEN_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR"],
});

export const createAccountToken = contract({
  operationId: "createAccountToken",
  tag: TAG,
  method: "post",
  path: "/api/auth/tokens",
  summary: "Create a personal access token for the signed-in account",
  description:
    "Makes a token by which programs act for the account in its projects, as far as its " +
    "scope and the account's roles there go at the time. It never manages the account itself: " +
    "password, e-mail, sessions, tokens, AI key, invitations to the account. It ends when it " +
    "expires or is deleted, with the account, and when the password is reset by a code or by " +
    `whoever runs the server. An account has at most ${ACCOUNT_TOKENS_MAX}.`,
  security: dashboardSession,
  body: {
    schema: AccountTokenInput,
    example: TOKEN_INPUT_EXAMPLE,
    description: "How far it goes, and for how long.",
  },
  success: created("Token created", "The token, which is shown this once.", {
    data: CreatedAccountToken,
    example: CREATED_TOKEN_EXAMPLE,
  }),
  problems: ["PROJECT_NOT_FOUND", "TOKEN_LIMIT_REACHED"],
});

export const deleteAccountToken = contract({
  operationId: "deleteAccountToken",
  tag: TAG,
  method: "delete",
  path: "/api/auth/tokens/{id}",
  summary: "Delete one of the signed-in account's personal access tokens",
  description: "It is refused from now on.",
  security: dashboardSession,
  params: { id: tokenId },
  success: answered("Token deleted", "The id of the deleted token.", {
    data: DeletedAccountToken,
    example: { id: EXAMPLE_ID },
  }),
  problems: ["TOKEN_NOT_FOUND"],
});

/** In the order of the reference. */
export const ACCOUNT_TOKENS = { listAccountTokens, createAccountToken, deleteAccountToken };
