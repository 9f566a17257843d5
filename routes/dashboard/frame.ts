import { countUsers } from "@/lib/auth/users.ts";
import { collectionSizes } from "@/lib/documents/collection_sizes.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import type { ProjectMember, Role } from "@/lib/projects/members.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";

/** What the left column of a project's pages shows. */
export interface Frame {
  readonly projectId: Id;
  readonly name: string;
  /** The path of the project's first page, with which those of all others begin. */
  readonly home: string;
  readonly role: Role;
  /** Of the account that looks. */
  readonly email: string;
  readonly plan: string;
  readonly collections: readonly { readonly name: string; readonly count: number }[];
  readonly users: number;
  readonly fileBytes: number;
}

export const homeOf = (projectId: Id): string => `/dashboard/projects/${projectId}`;

export async function loadFrame(
  services: Services,
  { project, role, account }: ProjectMember,
): Promise<Frame> {
  const { _id: projectId, name } = project;
  return {
    projectId,
    name,
    home: homeOf(projectId),
    role,
    email: account.email,
    plan: account.plan,
    ...await contentsOf(services, projectId),
  };
}

type Contents = Pick<Frame, "collections" | "users" | "fileBytes">;

/** Counts are estimates where the engine would have to look at every row. */
async function contentsOf(services: Services, projectId: Id): Promise<Contents> {
  const [collections, users, storage] = await Promise.all([
    collectionSizes(services, projectId),
    countUsers(services, projectId),
    getStorageUsage(services, projectId),
  ]);
  return {
    collections,
    users,
    fileBytes: storage.used,
  };
}
