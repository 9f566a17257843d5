import type { Id } from "@/lib/store/port.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import {
  createOwnedProject,
  joinProject,
  openAccount,
  type OwnedProject,
  type TestAccount,
} from "../support/dashboard.ts";
import type { TestApp } from "../support/test_app.ts";
import { ok } from "./test_collection.ts";

/** A project with a member of each role, and an account that is not a member. */
export interface Team extends OwnedProject {
  readonly owner: TestAccount;
  readonly admin: TestAccount;
  readonly viewer: TestAccount;
  readonly stranger: TestAccount;
  path(rest?: string): string;
  read(): Promise<Answer>;
  /** Returns the roles by account, as the owner lists them. */
  roles(): Promise<Record<Id, string>>;
}

export async function openTeam(app: TestApp): Promise<Team> {
  const [owner, admin, viewer, stranger] = [
    await openAccount(app),
    await openAccount(app),
    await openAccount(app),
    await openAccount(app),
  ];
  const project = await createOwnedProject(owner);
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

export const patchCall = (path: string, body: unknown): Call => ({ method: "PATCH", path, body });
export const deleteCall = (path: string, body?: unknown): Call => ({
  method: "DELETE",
  path,
  body,
});
export const putCall = (path: string, body: unknown): Call => ({ method: "PUT", path, body });
