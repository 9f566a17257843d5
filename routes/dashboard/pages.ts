import type { Security } from "@/openapi/security.ts";
import type { Operation } from "../call.ts";

/**
 * A page that is looked at.
 *
 * @param path Parameters in braces: `/dashboard/projects/{projectId}`.
 * @param extraMs As in {@linkcode Operation}.
 */
export const get = <P>(path: string, security: Security<P>, extraMs?: number): Operation<P> =>
  operation("get", path, security, extraMs);

/** What a form does: it answers with a page, or sends to one by {@linkcode seeOther}. */
export const post = <P>(path: string, security: Security<P>, extraMs?: number): Operation<P> =>
  operation("post", path, security, extraMs);

const operation = <P>(
  method: "get" | "post",
  path: string,
  security: Security<P>,
  extraMs = 0,
): Operation<P> => ({
  operationId: `${method.toUpperCase()} ${path}`,
  method,
  path,
  security,
  extraMs,
});
