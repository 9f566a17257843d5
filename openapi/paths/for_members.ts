import type { KeyHolder } from "@/lib/auth/principals.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { authSettingsOf } from "@/lib/projects/auth_settings.ts";
import { memberActor, type Role } from "@/lib/projects/members.ts";
import { type Contract, contract } from "../contract.ts";
import type { HeaderParameters, PathParameters } from "../inputs.ts";
import { projectId } from "../parameters.ts";
import { type FileCaller, projectMember, type Security } from "../security.ts";

/** A member with the rights of the project's servers: row-level security does not apply. */
export interface ServerRights extends KeyHolder, FileCaller {
  readonly ownerId: null;
  readonly uploader: null;
}

/** Like {@linkcode projectMember}, for operations that servers call with the secret key. */
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

/** Problems of row-level security and of the publishable key, which do not apply to members. */
const NON_MEMBER_PROBLEMS: readonly ProblemCode[] = [
  "ACCESS_TOKEN_REQUIRED",
  "RLS_REQUIRED",
  "OWNER_MISMATCH",
  "OWNER_IMMUTABLE",
  "SECRET_KEY_REQUIRED",
];

export const concernsMembers = (code: ProblemCode): boolean => !NON_MEMBER_PROBLEMS.includes(code);

interface MemberOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly role: "viewer" | "admin";
  readonly path: string;
  /** Description; the original's if left out. */
  readonly description?: string;
}

/** Returns functions that declare server operations for a project's members, below `address`. */
export function forMembers(tag: string, address: string) {
  /** Declares a variant of an operation that has its own handler. */
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
      problems: original.problems.filter(concernsMembers),
    });

  /** Declares a variant that the original's handler answers. It may not require more of callers. */
  const mirror = <P, B, N extends PathParameters, Q, H extends HeaderParameters>(
    original: Contract<P, B, N, Q, H> & ([ServerRights] extends [P] ? unknown : never),
    operation: MemberOperation,
  ) => ({ ...declare(original, operation), mirrors: original });

  return { declare, mirror };
}
