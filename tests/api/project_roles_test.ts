import assert from "node:assert/strict";
import type { Role } from "@/lib/projects/members.ts";
import { ALL } from "@/lib/store/filter.ts";
import { INVITATIONS } from "@/lib/projects/invitations.ts";
import { MEMBERS } from "@/lib/projects/members.ts";
import { PROJECTS } from "@/lib/projects/records.ts";
import { API_KEYS } from "@/lib/projects/api_keys.ts";
import type { Call } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { onEach } from "./on_each.ts";
import { type Sample, sampleCalls } from "./sample_calls.ts";
import { refused, UNKNOWN_ID } from "./test_collection.ts";
import { openTeam, type Team } from "./team.ts";

/** Every operation on one project under a dashboard session, including those added later. */
const SAMPLES = sampleCalls().filter(({ template, security }) =>
  template.startsWith("/api/projects/{projectId}") && security.flat().includes("dashboardSession")
);

/** The lowest role for an operation. By default, viewers may read and admins may write. */
const LOWEST_ROLES: Readonly<Record<string, Role>> = {
  deleteProject: "owner",
  offerOwnership: "owner",
  // Viewers may not see addresses.
  listInvitations: "admin",
  // Kept mails contain codes, and a trial creates a user.
  getKeptMail: "admin",
  tryProvider: "admin",
  signProjectFile: "viewer",
  // Members remove themselves; only admins remove others.
  removeMember: "viewer",
};

/** The path whose operations treat a member of too low a role as a stranger. */
const HIDDEN_PATH = "/api/projects/{projectId}/byok";

const RANKS = ["viewer", "admin", "owner"] as const;

const lowestRole = ({ operationId, call }: Sample): Role =>
  LOWEST_ROLES[operationId] ?? (call.method === "GET" ? "viewer" : "admin");

const inProject = ({ call }: Sample, projectId: string): Call => ({
  ...call,
  path: call.path.replace(/(?<=^\/api\/projects\/)[0-9a-f]{24}/, projectId),
});

async function controlState({ services: { engine } }: TestApp): Promise<string> {
  const pages = await Promise.all(
    [PROJECTS, MEMBERS, INVITATIONS, API_KEYS].map((definition) =>
      engine.records("control", definition).list({ filter: ALL, sort: [], limit: 1000 })
    ),
  );
  return pages.map(({ items }) => items).join("\n");
}

interface OpenTeam extends Team, AsyncDisposable {
  /** Runs `work` and fails if it changes what is stored about projects. */
  untouched(work: () => Promise<void>): Promise<void>;
}

async function open(): Promise<OpenTeam> {
  const app = await openTestApp();
  return {
    ...await openTeam(app),
    async untouched(work) {
      const before = await controlState(app);
      await work();
      assert.equal(await controlState(app), before, "a refused request changed what is stored");
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

Deno.test("the table of roles names only existing operations", () => {
  const known = SAMPLES.map(({ operationId }) => operationId);
  for (const name of Object.keys(LOWEST_ROLES)) assert.ok(known.includes(name), name);
  assert.ok(known.length > 0);
});

onEach(
  "a stranger gets 404, whether or not the project exists",
  SAMPLES,
  open,
  async (sample, team) => {
    const texts = new Set<string>();
    await team.untouched(async () => {
      for (const projectId of [team.projectId, UNKNOWN_ID]) {
        const answer = await team.stranger.send(inProject(sample, projectId));
        refused(answer, 404, "PROJECT_NOT_FOUND", /^Project not found or access denied$/);
        texts.add(answer.text);
      }
    });
    assert.equal(texts.size, 1);
  },
);

onEach("an invalid project id is 400", SAMPLES, open, (sample, team) =>
  team.untouched(async () => {
    for (const id of ["x", `${team.projectId}0`, "users", "%24ne"]) {
      const answer = await team.owner.send(inProject(sample, id));
      refused(answer, 400, "INVALID_PROJECT_ID", /^Invalid project ID$/);
    }
  }));

const isOpenTo = (role: Role, sample: Sample): boolean =>
  RANKS.indexOf(role) >= RANKS.indexOf(lowestRole(sample));

for (const role of ["viewer", "admin"] as const) {
  const samples = SAMPLES.filter((sample) => !isOpenTo(role, sample));
  onEach(
    `operations of higher roles refuse the ${role} and change nothing`,
    samples,
    open,
    (sample, team) =>
      team.untouched(async () => {
        const answer = await team[role].send(inProject(sample, team.projectId));
        if (sample.template === HIDDEN_PATH) refused(answer, 404, "PROJECT_NOT_FOUND");
        else refused(answer, 403, "ROLE_REQUIRED");
      }),
  );
}

for (const sample of SAMPLES) {
  for (const role of RANKS.filter((role) => isOpenTo(role, sample))) {
    Deno.test(`${sample.operationId}: open to the ${role}`, async () => {
      await using team = await open();
      const answer = await team[role].send(removingSelf(sample, team, role));
      const codes = ["ROLE_REQUIRED", "PROJECT_NOT_FOUND", "SIGN_IN_REQUIRED"];
      assert.ok(!codes.includes(answer.body?.code), answer.text);
    });
  }
}

onEach(
  "a project in the trash looks like a missing one",
  SAMPLES,
  async () => {
    const team = await open();
    const deletion = { method: "DELETE", path: team.path(), body: { name: "Test" } };
    assert.equal((await team.owner.send(deletion)).status, 200);
    return team;
  },
  (sample, team) =>
    team.untouched(async () => {
      for (const role of RANKS) {
        const answer = await team[role].send(inProject(sample, team.projectId));
        refused(answer, 404, "PROJECT_NOT_FOUND");
      }
    }),
);

/** Makes removeMember name the caller, because viewers may remove only themselves. */
function removingSelf(sample: Sample, team: Team, role: Role): Call {
  const call = inProject(sample, team.projectId);
  if (sample.operationId !== "removeMember") return call;
  return { ...call, path: team.path(`/members/${team[role].accountId}`) };
}
