/** A project for tests of published clients, with mail and a sign-in provider. */

import assert from "node:assert/strict";
import { type Fixture, openFixture, type SignInProject } from "../../attacks/fixture.ts";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtp_server.ts";
import { createCollection, send } from "../project.ts";
import { admin } from "../server.ts";
import { until } from "../until.ts";

const SITE_URL = "https://app.example";

export interface Outside extends AsyncDisposable {
  readonly fixture: Fixture;
  readonly project: SignInProject;
  readonly mails: TestSmtpServer;
  nextCode(to: string): Promise<string>;
  /** Creates a user with an unverified address, like a server of the project does. */
  unverifiedUser(user: { email: string; password: string }): Promise<void>;
  /** Requires new users to verify their address, and allows anonymous users. */
  changeSettings(): Promise<void>;
  /** Secret key of a project that has a mail template `welcome`. */
  readonly keyWithTemplate: string;
  /** Finishes a sign-in by GitHub and returns what the project's page receives. */
  socialReturn(): Promise<{ readonly token: string; readonly rtCode: string }>;
}

/** All callers may read posts, and users write their own. Notes are private to their users. */
const COLLECTIONS = [
  {
    name: "authors",
    fields: [{ key: "name", type: "String", required: true }],
    rls: { mode: "public-read" },
  },
  {
    name: "posts",
    fields: [
      { key: "title", type: "String", required: true },
      { key: "views", type: "Number" },
      { key: "published", type: "Boolean" },
      { key: "tags", type: "Array", items: { type: "String" } },
      { key: "author", type: "Ref", ref: "authors" },
      { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
    ],
    rls: { mode: "public-read" },
  },
  { name: "notes", fields: [{ key: "text", type: "String" }] },
  { name: "open", fields: [{ key: "n", type: "Number" }], rls: { enabled: false } },
];

/** Creates a project with a mail template through the owner's API. */
async function keyWithTemplate({ server }: Fixture): Promise<string> {
  const registered = await send(server, {
    path: "/api/auth/register",
    body: { email: "owner@example.com", password: "a difference engine" },
  });
  assert.equal(registered.status, 201, registered.text);
  const cookie = registered.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  const headers = { cookie };
  const created = await send(server, { path: "/api/projects", headers, body: { name: "Acme" } });
  assert.equal(created.status, 201, created.text);
  const { projectId, secretKey } = created.body.data;
  const saved = await send(server, {
    method: "PUT",
    path: `/api/projects/${projectId}/mail/templates/welcome/en`,
    headers,
    body: { subject: "Welcome to {{projectName}}", text: "Hello {{name}}" },
  });
  assert.equal(saved.status, 200, saved.text);
  return secretKey;
}

export async function openOutside(): Promise<Outside> {
  await using opening = new AsyncDisposableStack();
  const mails = opening.use(await startSmtpServer());
  const settings = { MAIL_URL: mails.url, MAIL_FROM: "Corbel <corbel@example.com>" };
  const fixture = opening.use(await openFixture(settings));
  const project = await fixture.project({ siteUrl: SITE_URL });
  for (const definition of COLLECTIONS) {
    await createCollection(fixture.server.settings, project, definition);
  }
  const templateKey = fixture.secret(await keyWithTemplate(fixture));
  const opened = opening.move();
  return {
    fixture,
    project,
    mails,
    keyWithTemplate: templateKey,
    async nextCode(to) {
      const { text } = await mails.next(to);
      const [code] = /\b\d{6}\b/.exec(text) ?? [];
      assert.ok(code !== undefined, `the mail to ${to} has no code`);
      return fixture.secret(code);
    },
    async unverifiedUser(body) {
      const { status, text } = await send(fixture.server, {
        path: "/api/userAuth/users",
        key: project.secretKey,
        body,
      });
      assert.equal(status, 201, text);
    },
    async changeSettings() {
      const words = ["project", "set", "--project", project.projectId, "--file", "-"];
      await admin(
        words,
        fixture.server.settings,
        JSON.stringify({ auth: { requireVerifiedEmail: true, anonymous: true } }),
      );
      // A server notices changes of another process within this time.
      const isNoticed = async () => {
        const path = "/api/userAuth/anonymous";
        const { status } = await send(fixture.server, {
          method: "POST",
          path,
          key: project.publishableKey,
        });
        return status === 201;
      };
      await until("the settings are in effect", isNoticed);
    },
    async socialReturn() {
      const person = fixture.githubPerson();
      const { token, rtCode } = await fixture.visitor().signIn(project, "github", person.login);
      return { token, rtCode };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
