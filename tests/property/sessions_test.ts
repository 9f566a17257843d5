import fc from "fast-check";
import assert from "node:assert/strict";
import { isSignedIn, refresh, signIn } from "../api/signed_in.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { check } from "./run.ts";

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const GRACE = 10 * SECOND;
const SLIDING = 30 * DAY;
const AT_MOST = 180 * DAY;
/** Milliseconds that an access token is valid: fifteen minutes, and the tolerance of clocks. */
const ACCESS = 905 * SECOND;

type Step =
  | { readonly kind: "wait"; readonly ms: number }
  /** Number of the token, in the order of issue. */
  | { readonly kind: "refresh" | "forge" | "log out"; readonly token: number };

const which = fc.nat(100);
/** Mostly the newest token, as clients send. */
const token = fc.oneof({ weight: 2, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: which });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      ms: fc.constantFrom(SECOND, GRACE - 1, GRACE, GRACE + 1, ACCESS, DAY, SLIDING - 1, SLIDING),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("refresh" as const), token }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forge" as const), token }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("log out" as const), token: which }) },
);

/** A model of a family of refresh tokens by the rules, without a store. */
class Family {
  readonly #began: number;
  #endsAt: number;
  #ended = false;
  readonly #tokens: { usedAt: number | null; replays: number; endsAt: number }[] = [];

  constructor(now: number) {
    this.#began = now;
    this.#endsAt = now + SLIDING;
    this.#add();
  }

  isActive(now: number): boolean {
    return !this.#ended && now < this.#endsAt;
  }

  end(): void {
    this.#ended = true;
  }

  /** Returns the number of the token that a refresh returns; null if it is refused. */
  refresh(index: number, now: number): number | null {
    const token = this.#tokens[index]!;
    if (now >= token.endsAt || !this.isActive(now)) return null;
    if (token.usedAt === null) {
      token.usedAt = now;
      this.#endsAt = Math.min(now + SLIDING, this.#began + AT_MOST);
      this.#add();
    } else if (now - token.usedAt > GRACE) return this.#ended = true, null;
    else if (++token.replays > 50) return null;
    // Each token has one successor, so only the last one is unused.
    return this.#tokens.length - 1;
  }

  #add(): void {
    this.#tokens.push({ usedAt: null, replays: 0, endsAt: this.#endsAt });
  }
}

async function runSteps(app: TestApp, project: TestProject, steps: readonly Step[]): Promise<void> {
  const { clock } = app;
  const user = await signIn(app, project);
  const family = new Family(clock.now());
  const tokens = [user.refreshToken];
  let access = { token: user.token, until: clock.now() + ACCESS };
  for (const [i, step] of steps.entries()) {
    const where = `step ${i}, ${JSON.stringify(step)}`;
    if (step.kind === "wait") clock.advance(step.ms);
    else {
      const index = step.token < 0 ? tokens.length - 1 : step.token % tokens.length;
      const presented = tokens[index]!;
      if (step.kind === "refresh") {
        const { status, body } = await refresh(project, presented);
        const next = family.refresh(index, clock.now());
        assert.equal(status, next === null ? 401 : 200, where);
        if (next !== null) {
          if (next === tokens.length) tokens.push(body.data.refreshToken);
          assert.equal(body.data.refreshToken, tokens[next], where);
          access = { token: body.data.accessToken, until: clock.now() + ACCESS };
        }
      } else if (step.kind === "forge") {
        const forged = `${presented.slice(0, -43)}${"A".repeat(43)}`;
        assert.equal((await refresh(project, forged)).status, 401, where);
      } else {
        const headers = { "x-refresh-token": presented };
        await project.asPublic({ method: "POST", path: "/api/userAuth/logout", headers });
        family.end();
      }
    }
    const isSignedInByModel = family.isActive(clock.now()) && clock.now() < access.until;
    assert.equal(
      await isSignedIn(project, { id: user.id, token: access.token }),
      isSignedInByModel,
      where,
    );
  }
}

Deno.test("a family of refresh tokens behaves as a model without a store", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const cases = fc.array(step, { minLength: 1, maxLength: 20 });
  await check("Lives of sessions", cases, (steps) => runSteps(app, project, steps));
});

/** Time since the previous refresh, and whether the thief or the owner refreshes. */
const turn = fc.record({
  who: fc.constantFrom("thief" as const, "owner" as const),
  waitMs: fc.constantFrom(0, SECOND, GRACE, GRACE + 1, ACCESS, DAY),
});

Deno.test("a family of refresh tokens never has two unused tokens of thief and owner", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const cases = fc.array(turn, { minLength: 2, maxLength: 12 });
  await check("Thefts of refresh tokens", cases, async (turns) => {
    const { refreshToken } = await signIn(app, project);
    const latest = { thief: refreshToken, owner: refreshToken };
    let current = refreshToken;
    for (const { who, waitMs } of turns) {
      app.clock.advance(waitMs);
      const { status, body } = await refresh(project, latest[who]);
      // The latest response has the current token; a request with an older token ends the family.
      if (status === 200) latest[who] = current = body.data.refreshToken;
      else {
        assert.notEqual(latest[who], current, "the newest token was refused");
        for (const token of [latest.thief, latest.owner, current]) {
          assert.equal((await refresh(project, token)).status, 401);
        }
        return;
      }
      assert.ok(current === latest.thief || current === latest.owner);
    }
  });
});
