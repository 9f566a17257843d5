import { ACCOUNT_TOKENS_MAX } from "@/lib/limits.ts";
import { createdAnswer, okAnswer } from "../answers.ts";
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
  description: "Tokens that have not expired, newest first, without the secret tokens themselves.",
  security: dashboardSession,
  query: pageQuery,
  success: okAnswer("Tokens listed", "A page of tokens.", {
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
  description: "Creates a token with which programs act for the account in its projects, limited " +
    "by the token's scope and the account's current roles. A token cannot manage the account " +
    "itself: password, e-mail, sessions, tokens, AI key, invitations to the account. It ends " +
    "when it expires or is deleted, with the account, and when the password is reset by a code " +
    `or by the operator of the server. An account has at most ${ACCOUNT_TOKENS_MAX}.`,
  security: dashboardSession,
  body: {
    schema: AccountTokenInput,
    example: TOKEN_INPUT_EXAMPLE,
    description: "The token's scope and lifetime.",
  },
  success: createdAnswer("Token created", "The token, which is shown only once.", {
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
  description: "The token is refused immediately.",
  security: dashboardSession,
  params: { id: tokenId },
  success: okAnswer("Token deleted", "The id of the deleted token.", {
    data: DeletedAccountToken,
    example: { id: EXAMPLE_ID },
  }),
  problems: ["TOKEN_NOT_FOUND"],
});

export const ACCOUNT_TOKENS = { listAccountTokens, createAccountToken, deleteAccountToken };
