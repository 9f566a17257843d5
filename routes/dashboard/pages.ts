import type { Security } from "@/openapi/security.ts";
import type { Operation } from "../call.ts";

type PageOptions = Pick<Operation<unknown>, "extraMs" | "offload">;

/**
 * A page that is looked at.
 *
 * @param path Parameters in braces: `/dashboard/projects/{projectId}`.
 */
export const get = <P>(path: string, security: Security<P>, options?: PageOptions): Operation<P> =>
  operation("get", path, security, options);

/** What a form does: it answers with a page, or sends to one by {@linkcode seeOther}. */
export const post = <P>(path: string, security: Security<P>, options?: PageOptions): Operation<P> =>
  operation("post", path, security, options);

const operation = <P>(
  method: "get" | "post",
  path: string,
  security: Security<P>,
  options: PageOptions = {},
): Operation<P> => ({
  operationId: `${method.toUpperCase()} ${path}`,
  method,
  path,
  security,
  ...options,
});
