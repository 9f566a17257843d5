import { countUsers } from "@/lib/auth/users.ts";
import { readCollectionSizes } from "@/lib/documents/collection_sizes.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import type { ProjectMember, Role } from "@/lib/projects/members.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";

export interface Frame {
  readonly projectId: Id;
  readonly name: string;
  /** Path of the project's first page, which is the prefix of the paths of its other pages. */
  readonly home: string;
  readonly role: Role;
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
    ...await loadContents(services, projectId),
  };
}

type Contents = Pick<Frame, "collections" | "users" | "fileBytes">;

/** Counts collections, users and files. Counts are estimates if an exact one needs a full scan. */
async function loadContents(services: Services, projectId: Id): Promise<Contents> {
  const [collections, users, storage] = await Promise.all([
    readCollectionSizes(services, projectId),
    countUsers(services, projectId),
    getStorageUsage(services, projectId),
  ]);
  return {
    collections,
    users,
    fileBytes: storage.used,
  };
}
