import assert from "node:assert/strict";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { API_KEYS } from "@/lib/projects/api_keys.ts";
import { USERS } from "@/lib/auth/users.ts";
import { COLLECTIONS } from "@/lib/documents/catalog.ts";
import { INVITATIONS } from "@/lib/projects/invitations.ts";
import { MEMBERS, type Role } from "@/lib/projects/members.ts";
import { PROJECTS } from "@/lib/projects/records.ts";
import { MAIL_SETTINGS } from "@/lib/mail/settings.ts";
import { MAIL_TEMPLATES } from "@/lib/mail/template_store.ts";
import { STORAGE_SETTINGS } from "@/lib/files/storage_settings.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  callOf,
  type Household,
  isOpenTo,
  MISSING_ID,
  mountedPages,
  namesOf,
  openHousehold,
  type PageRow,
  ROWS,
} from "./every_page.ts";

const GUARDED = ROWS.filter(({ least }) => least !== "anybody");
const IN_PROJECTS = ROWS.filter(({ template }) => template.includes("{projectId}"));
const POSTS = ROWS.filter(({ method }) => method === "POST");

const OWN = "http://localhost:8000";
const EVIL = "https://evil.example";

/** Returns the stored data that a refused request must not change. */
async function stateOf(
  { services: { engine, userFields } }: TestApp,
  { project }: Household,
): Promise<string> {
  const { projectId } = project;
  const read = async (space: string, definition: Definition) => {
    const all = { filter: ALL, sort: [], limit: 1000 };
    return (await engine.records(space, definition).list(all)).items;
  };
  return (await Promise.all([
    ...[PROJECTS, MEMBERS, INVITATIONS, API_KEYS, ACCOUNTS].map((one) => read("control", one)),
    ...[COLLECTIONS, USERS, STORAGE_SETTINGS, MAIL_SETTINGS, MAIL_TEMPLATES]
      .map((one) => read(projectId, one)),
    JSON.stringify(await userFields.ofProject(projectId)),
    documentsOf(project),
  ])).join("\n");
}

const documentsOf = async (project: Household["project"]): Promise<string> =>
  (await project.asSecret({ path: "/api/data/posts?include_deleted=true" })).text;

async function assertUnchangedBy(
  app: TestApp,
  household: Household,
  work: () => Promise<void>,
): Promise<void> {
  const before = await stateOf(app, household);
  await work();
  assert.equal(await stateOf(app, household), before, "a refused request changed stored data");
}

/** Fails unless the response has the headers that protect every page. */
function assertGuarded({ headers }: Answer, what: string): void {
  assert.equal(
    headers.get("content-security-policy"),
    "default-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; " +
      "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    what,
  );
  assert.equal(headers.get("x-frame-options"), "DENY", what);
  assert.equal(headers.get("referrer-policy"), "same-origin", what);
  assert.equal(headers.get("x-content-type-options"), "nosniff", what);
  assert.equal(headers.get("cache-control"), "no-store", what);
  const reader = headers.get("access-control-allow-origin");
  assert.ok(reader === null || reader === OWN, what);
}

/** Returns the response without parts that differ each time. */
const comparableAnswer = ({ status, headers, text }: Answer): string =>
  JSON.stringify([status, [...headers].filter(([name]) => name !== "x-request-id"), text]);

const nameOf = (row: PageRow): string => namesOf([row])[0]!;

Deno.test("the table has exactly the pages and forms of the dashboard", () => {
  assert.deepEqual(namesOf(ROWS).toSorted(), mountedPages().toSorted());
});

Deno.test("pages and forms require a session that has not ended", async () => {
  await using app = await openTestApp();
  const household = await openHousehold(app);
  const DAYS_8 = 8 * 86_400_000;
  app.clock.advance(DAYS_8);
  const cookies = [[], [["cookie", household.owner.cookie]]] as const;
  await assertUnchangedBy(app, household, async () => {
    for (const row of GUARDED) {
      for (const cookie of cookies) {
        const call = callOf(row, household, { headers: cookie });
        const answer = await app.send(call);
        assertGuarded(answer, nameOf(row));
        if (row.method === "POST") {
          assert.equal(answer.status, 401, nameOf(row));
          assert.match(answer.text, /href="\/dashboard\/sign-in"/);
          continue;
        }
        const next = new URLSearchParams({ next: call.path });
        const to = call.path === "/dashboard" ? "" : `?${next}`;
        assert.equal(answer.status, 303, nameOf(row));
        assert.equal(answer.headers.get("location"), `/dashboard/sign-in${to}`, nameOf(row));
      }
    }
  });
});

Deno.test("strangers get the same answers as if the project did not exist", async () => {
  await using app = await openTestApp();
  const household = await openHousehold(app);
  await assertUnchangedBy(app, household, async () => {
    for (const row of IN_PROJECTS) {
      const [there, nowhere] = [
        await household.stranger.send(callOf(row, household)),
        await household.stranger.send(callOf(row, household, { projectId: MISSING_ID })),
      ];
      assert.equal(there.status, 404, nameOf(row));
      assert.match(there.text, /Project not found or access denied/);
      assert.equal(comparableAnswer(there), comparableAnswer(nowhere), nameOf(row));
      assertGuarded(there, nameOf(row));
    }
  });
});

Deno.test("members of a project in the trash get the same answers as if it did not exist", async () => {
  await using app = await openTestApp();
  const household = await openHousehold(app);
  const { owner, project } = household;
  const path = `/api/projects/${project.projectId}`;
  const deleted = await owner.send({ method: "DELETE", path, body: { name: "Test" } });
  assert.equal(deleted.status, 200);
  for (const row of IN_PROJECTS) {
    const answer = await owner.send(callOf(row, household));
    assert.equal(answer.status, 404, nameOf(row));
    assert.match(answer.text, /Project not found or access denied/);
  }
});

for (const role of ["viewer", "admin"] as const) {
  Deno.test(`pages and forms that ${role}s may not use are refused without changes`, async () => {
    await using app = await openTestApp();
    const household = await openHousehold(app);
    await assertUnchangedBy(app, household, async () => {
      for (const row of IN_PROJECTS.filter((row) => !isOpenTo(role, row))) {
        const answer = await household[role].send(callOf(row, household));
        assert.equal(answer.status, 403, nameOf(row));
        assert.match(answer.text, /<h1>Not yours to change<\/h1>/, nameOf(row));
        assertGuarded(answer, nameOf(row));
      }
    });
  });
}

/** Returns whether a guard has refused the request. */
const isTurnedAway = ({ status, headers, text }: Answer): boolean =>
  status === 403 || /Project not found/.test(text) ||
  (headers.get("location") ?? "").startsWith("/dashboard/sign-in?");

async function assertOpen(app: TestApp, role: Role, rows: readonly PageRow[]): Promise<void> {
  const household = await openHousehold(app);
  for (const row of rows) {
    const answer = await household[role].send(callOf(row, household));
    assert.ok(!isTurnedAway(answer), `${nameOf(row)}: ${answer.status} ${answer.text}`);
    assert.notEqual(answer.status, 500, nameOf(row));
  }
}

for (const role of ["viewer", "admin", "owner"] as const) {
  const open = IN_PROJECTS.filter((row) => isOpenTo(role, row));

  Deno.test(`pages and forms that ${role}s may use are open to them`, async () => {
    await using app = await openTestApp();
    await assertOpen(app, role, open.filter(({ method }) => method === "GET"));
    for (const row of open.filter(({ method }) => method === "POST")) {
      await using own = await openTestApp(); // Some of them delete data that others need.
      await assertOpen(own, role, [row]);
    }
  });
}

/** Headers by which a browser reports the origin of a form, and whether it is our own. */
const ORIGINS: readonly (readonly [string | null, string | null, boolean])[] = [
  // Sec-Fetch-Site, Origin
  ["same-origin", OWN, true],
  ["same-origin", null, true],
  ["none", null, true],
  ["none", EVIL, false], // A foreign Origin is refused, whatever Sec-Fetch-Site says.
  ["same-site", OWN, false],
  ["cross-site", OWN, false],
  ["cross-site", null, false],
  ["Same-Origin", OWN, false],
  ["", OWN, false],
  [null, OWN, true],
  [null, EVIL, false],
  [null, "null", false],
  [null, `${OWN}.evil.example`, false],
  [null, "http://localhost", false],
  [null, "https://localhost:8000", false],
  [null, null, true], // Not a browser.
];

Deno.test("forms are only accepted from the dashboard's own pages", async () => {
  await using app = await openTestApp();
  const household = await openHousehold(app);
  const { owner } = household;
  const foreign = ORIGINS.filter(([, , isOwn]) => !isOwn);
  await assertUnchangedBy(app, household, async () => {
    for (const row of POSTS) {
      for (const [site, origin] of foreign) {
        const answer = await owner.send(
          callOf(row, household, { headers: fromWhere(site, origin) }),
        );
        const what = `${nameOf(row)} ${site} ${origin}`;
        assert.equal(answer.status, 403, what);
        assert.match(answer.text, /another site/, what);
        assertGuarded(answer, what);
        assert.deepEqual(answer.headers.getSetCookie(), [], what);
      }
    }
  });
  assert.equal((await owner.send({ path: "/dashboard" })).status, 200, "still signed in");
});

Deno.test("each clause of the rule of origins applies to forms", async () => {
  await using app = await openTestApp();
  const household = await openHousehold(app);
  for (const [site, origin, isOwn] of ORIGINS) {
    const answer = await household.owner.send({
      method: "POST",
      path: `${household.home}/settings`,
      headers: [
        ["content-type", "application/x-www-form-urlencoded"],
        ...fromWhere(site, origin),
      ],
      body: "name=Test",
    });
    assert.equal(answer.status, isOwn ? 303 : 403, `${site} ${origin}`);
  }
});

const fromWhere = (site: string | null, origin: string | null): [string, string][] => [
  ...(site === null ? [] : [["sec-fetch-site", site] as [string, string]]),
  ...(origin === null ? [] : [["origin", origin] as [string, string]]),
];
