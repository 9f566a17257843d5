import type { Id } from "@/lib/store/port.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import {
  joinProject,
  openAccount,
  type OwnedProject,
  ownedProject,
  type TestAccount,
} from "../support/dashboard.ts";
import type { TestApp } from "../support/test_app.ts";
import { ok } from "./test_collection.ts";

/** A project with a member of each role, and somebody who is none. */
export interface Team extends OwnedProject {
  readonly owner: TestAccount;
  readonly admin: TestAccount;
  readonly viewer: TestAccount;
  readonly stranger: TestAccount;
  /** Below `/api/projects/:projectId`. */
  path(rest?: string): string;
  /** The project as its owner reads it. */
  read(): Promise<Answer>;
  /** Role by account, as the owner lists them. */
  roles(): Promise<Record<Id, string>>;
}

export async function openTeam(app: TestApp): Promise<Team> {
  const [owner, admin, viewer, stranger] = [
    await openAccount(app),
    await openAccount(app),
    await openAccount(app),
    await openAccount(app),
  ];
  const project = await ownedProject(owner);
  const { projectId } = project;
  await joinProject(app.services, projectId, admin.accountId, "admin");
  await joinProject(app.services, projectId, viewer.accountId, "viewer");
  const path = (rest = "") => `/api/projects/${projectId}${rest}`;
  return {
    ...project,
    owner,
    admin,
    viewer,
    stranger,
    path,
    read: () => owner.send({ path: path() }),
    async roles() {
      const { items } = ok(await owner.send({ path: path("/members") }));
      return Object.fromEntries(
        items.map(({ accountId, role }: { accountId: Id; role: string }) => [accountId, role]),
      );
    },
  };
}

export const patched = (path: string, body: unknown): Call => ({ method: "PATCH", path, body });
export const removed = (path: string, body?: unknown): Call => ({ method: "DELETE", path, body });
export const put = (path: string, body: unknown): Call => ({ method: "PUT", path, body });
