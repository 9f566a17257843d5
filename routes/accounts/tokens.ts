import {
  createAccountToken,
  deleteAccountToken,
  listAccountTokens,
} from "@/lib/accounts/manage_tokens.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { ACCOUNT_TOKENS } from "@/openapi/paths/account_tokens.ts";
import type { HandlersOf } from "../handler.ts";

export const accountTokens: HandlersOf<typeof ACCOUNT_TOKENS> = {
  listAccountTokens: async (c) => {
    const { services, principal } = c.var;
    const page = await listAccountTokens(services, principal, c.req.valid("query"));
    return ok(200, JSON.stringify(page), "Tokens listed");
  },

  createAccountToken: async (c) => {
    const { services, principal } = c.var;
    const created = await createAccountToken(services, principal, c.req.valid("json"));
    return { ...ok(201, JSON.stringify(created), "Token created"), headers: [NO_STORE] };
  },

  deleteAccountToken: async (c) => {
    const { services, principal } = c.var;
    const { id } = c.req.valid("param");
    const deleted = await deleteAccountToken(services, principal, id);
    if (!deleted) throw new Problem("TOKEN_NOT_FOUND");
    return ok(200, JSON.stringify({ id }), "Token deleted");
  },
};
