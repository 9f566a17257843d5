import type { KeyHolder } from "@/lib/auth/principals.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { authSettingsOf } from "@/lib/projects/auth_settings.ts";
import { memberActor, type Role } from "@/lib/projects/members.ts";
import { type Contract, contract } from "../contract.ts";
import type { HeaderParameters, PathParameters } from "../inputs.ts";
import { projectId } from "../parameters.ts";
import { type FileCaller, projectMember, type Security } from "../security.ts";

/** What a member may do in the place of a project's servers: row-level security does not apply. */
export interface ServerRights extends KeyHolder, FileCaller {
  readonly ownerId: null;
  readonly uploader: null;
}

/** As {@linkcode projectMember}, for what servers do by the project's secret key. */
export function memberAsServer(role: Role): Security<ServerRights> {
  const member = projectMember(role);
  return {
    ...member,
    async guard(services, request, param) {
      const principal = await member.guard(services, request, param);
      const { project } = principal;
      return {
        kind: "secret",
        projectId: project._id,
        auth: authSettingsOf(project),
        actor: memberActor(principal),
        ownerId: null,
        uploader: null,
      };
    },
  };
}

/** Refusals of row-level security and of the publishable key, which do not bind members. */
const OF_OTHER_CALLERS: readonly ProblemCode[] = [
  "ACCESS_TOKEN_REQUIRED",
  "RLS_REQUIRED",
  "OWNER_MISMATCH",
  "OWNER_IMMUTABLE",
  "SECRET_KEY_REQUIRED",
];

export const isOfMembers = (code: ProblemCode): boolean => !OF_OTHER_CALLERS.includes(code);

interface MemberOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly role: "viewer" | "admin";
  /** Below the address that the operations of members have in common. */
  readonly path: string;
  /** If left out, the operation is described as the original is. */
  readonly description?: string;
}

/** Operations below `address` by which a project's members do what its servers do. */
export function forMembers(tag: string, address: string) {
  /** Declares an operation as the original is, with a handler of its own. */
  const declare = <B, N extends PathParameters, Q, H extends HeaderParameters>(
    original: Contract<unknown, B, N, Q, H>,
    { role, path, ...texts }: MemberOperation,
  ) =>
    contract({
      ...original,
      ...texts,
      tag,
      path: `${address}${path}`,
      security: memberAsServer(role),
      params: { projectId, ...original.params! },
      problems: original.problems.filter(isOfMembers),
    });

  /**
   * Declares an operation that the handler of the original answers. The compiler refuses an original
   * whose handler needs to know more of its caller than a member has.
   */
  const mirror = <P, B, N extends PathParameters, Q, H extends HeaderParameters>(
    original: Contract<P, B, N, Q, H> & ([ServerRights] extends [P] ? unknown : never),
    operation: MemberOperation,
  ) => ({ ...declare(original, operation), mirrors: original });

  return { declare, mirror };
}
