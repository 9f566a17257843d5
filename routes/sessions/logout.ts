import type { KeyHolder } from "@/lib/auth/api_keys.ts";
import { logOut, logOutEverywhere } from "@/lib/auth/end_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import type { Call, Handler } from "../call.ts";
import { cookieHeaders, presentedToken } from "./presented.ts";

export const handleLogout: Handler<KeyHolder> = async (call) => {
  await logOut(call.services, call.principal.projectId, await proofsOf(call));
  return { ...ok(200, "{}", "Signed out"), headers: cookieHeaders(call, null) };
};

export const handleLogoutAll: Handler<KeyHolder> = async (call) => {
  const proofs = await proofsOf(call);
  const ended = await logOutEverywhere(call.services, call.principal.projectId, proofs);
  const data = JSON.stringify({ ended });
  return { ...ok(200, data, "Signed out everywhere"), headers: cookieHeaders(call, null) };
};

async function proofsOf(call: Call<KeyHolder>) {
  const { token } = await presentedToken(call);
  // With a secret key, as everywhere, an access token is not looked at.
  const isPublic = call.principal.kind === "publishable";
  return { refreshToken: token, authorization: isPublic ? call.header("authorization") : null };
}
