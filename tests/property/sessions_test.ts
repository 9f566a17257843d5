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
/** Fifteen minutes, and what clocks may differ by. */
const ACCESS = 905 * SECOND;

type Step =
  | { readonly kind: "wait"; readonly ms: number }
  /** With which of the tokens so far. */
  | { readonly kind: "refresh" | "forge" | "log out"; readonly token: number };

const which = fc.nat(100);
/** Mostly the newest, as clients do. */
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

/** A family of refresh tokens as the rules describe it, without a store. */
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

  stands(now: number): boolean {
    return !this.#ended && now < this.#endsAt;
  }

  end(): void {
    this.#ended = true;
  }

  /** Which token a refresh with this one is answered with; null where it is refused. */
  refresh(index: number, now: number): number | null {
    const token = this.#tokens[index]!;
    if (now >= token.endsAt || !this.stands(now)) return null;
    if (token.usedAt === null) {
      token.usedAt = now;
      this.#endsAt = Math.min(now + SLIDING, this.#began + AT_MOST);
      this.#add();
    } else if (now - token.usedAt > GRACE) return this.#ended = true, null;
    else if (++token.replays > 50) return null;
    // Each has one successor, so the last one is the only one that is unused.
    return this.#tokens.length - 1;
  }

  #add(): void {
    this.#tokens.push({ usedAt: null, replays: 0, endsAt: this.#endsAt });
  }
}

async function live(app: TestApp, project: TestProject, steps: readonly Step[]): Promise<void> {
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
    const stands = family.stands(clock.now()) && clock.now() < access.until;
    assert.equal(await isSignedIn(project, { id: user.id, token: access.token }), stands, where);
  }
}

Deno.test("a family of refresh tokens lives and ends as a model without a store says", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const cases = fc.array(step, { minLength: 1, maxLength: 20 });
  await check("Lives of sessions", cases, (steps) => live(app, project, steps));
});

/** How long after the last refresh of either comes one of the thief's or the owner's. */
const turn = fc.record({
  who: fc.constantFrom("thief" as const, "owner" as const),
  waitMs: fc.constantFrom(0, SECOND, GRACE, GRACE + 1, ACCESS, DAY),
});

Deno.test("a thief's chain and the owner's meet: no two tokens of one family are unused", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const cases = fc.array(turn, { minLength: 2, maxLength: 12 });
  await check("Thefts of refresh tokens", cases, async (turns) => {
    const { refreshToken } = await signIn(app, project);
    const held = { thief: refreshToken, owner: refreshToken };
    let current = refreshToken;
    for (const { who, waitMs } of turns) {
      app.clock.advance(waitMs);
      const { status, body } = await refresh(project, held[who]);
      // Whoever is answered holds what the next one is judged by; whoever is late ends it for both.
      if (status === 200) held[who] = current = body.data.refreshToken;
      else {
        assert.notEqual(held[who], current, "the newest token is refused");
        for (const token of [held.thief, held.owner, current]) {
          assert.equal((await refresh(project, token)).status, 401);
        }
        return;
      }
      assert.ok(current === held.thief || current === held.owner);
    }
  });
});
