import { z } from "@hono/zod-openapi";
import type { PathParameter } from "@/openapi/inputs.ts";
import type { Security } from "@/openapi/security.ts";
import type { Operation } from "../handler.ts";

type PageOptions = Pick<Operation<unknown>, "extraMs">;

/** The names in braces. */
type NameIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NameIn<Rest>
  : never;

type Page<P, Path extends string> = Operation<
  P,
  undefined,
  Readonly<Record<NameIn<Path>, PathParameter>>,
  undefined
>;

/**
 * A page that is looked at.
 *
 * @param path Parameters in braces: `/dashboard/projects/{projectId}`.
 */
export const get = <P, const Path extends string>(
  path: Path,
  security: Security<P>,
): Page<P, Path> => operation("get", path, security);

/** What a form does: it answers with a page, or sends to one by {@linkcode seeOther}. */
export const post = <P, const Path extends string>(
  path: Path,
  security: Security<P>,
  options?: PageOptions,
): Page<P, Path> => operation("post", path, security, options);

const operation = <P, Path extends string>(
  method: "get" | "post",
  path: Path,
  security: Security<P>,
  options: PageOptions = {},
): Page<P, Path> => ({
  operationId: `${method.toUpperCase()} ${path}`,
  method,
  path,
  security,
  params: paramsOf(path),
  ...options,
});

/** Comes as it was sent: the page says what does not fit, in its own words. */
const text: PathParameter = { schema: z.string(), problem: null, read: (text) => text };

const paramsOf = <Path extends string>(path: Path) =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, text]),
  ) as Readonly<Record<NameIn<Path>, PathParameter>>; // Both look for braces.
