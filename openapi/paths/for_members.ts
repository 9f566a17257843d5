import { type Contract, contract } from "../contract.ts";
import type { HeaderParameters, PathParameters } from "../inputs.ts";
import { projectId } from "../parameters.ts";
import { projectMember } from "../security.ts";

/** What the project's servers do by its secret key, for its members, below an address of their own. */
export const forMembers =
  (tag: string, address: string) =>
  <B, N extends PathParameters, Q, H extends HeaderParameters>(
    server: Contract<unknown, B, N, Q, H>,
    { operationId, summary, role, path }: {
      operationId: string;
      summary: string;
      role: "viewer" | "admin";
      path: string;
    },
  ) =>
    contract({
      ...server,
      operationId,
      summary,
      tag,
      path: `${address}${path}`,
      security: projectMember(role),
      params: { projectId, ...server.params! },
    });
