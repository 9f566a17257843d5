import { z } from "@hono/zod-openapi";
import type { PathParameter } from "@/openapi/inputs.ts";
import type { Security } from "@/openapi/security.ts";
import type { Operation } from "../handler.ts";

type PageOptions = Pick<Operation<unknown>, "extraMs">;

type ParameterName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never;

type Page<P, Path extends string> = Operation<
  P,
  undefined,
  Readonly<Record<ParameterName<Path>, PathParameter>>,
  undefined
>;

/** Declares a page. @param path Parameters in braces: `/dashboard/projects/{projectId}`. */
export const get = <P, const Path extends string>(
  path: Path,
  security: Security<P>,
): Page<P, Path> => operation("get", path, security);

/** Declares a form's action, which replies with a page or redirects by {@linkcode seeOther}. */
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

/** An unchecked path parameter. The page reports invalid values itself. */
const text: PathParameter = { schema: z.string(), problem: null, read: (text) => text };

const paramsOf = <Path extends string>(path: Path) =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, text]),
  ) as Readonly<Record<ParameterName<Path>, PathParameter>>; // Both match braces.
