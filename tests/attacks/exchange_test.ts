import assert from "node:assert/strict";
import { assertAlike } from "./alike.ts";
import {
  openFixture,
  refusal,
  type SignInProject,
  type SignInReturn,
  type Visitor,
} from "./fixture.ts";

const REPLAYS = 50;

const INVALID = [400, "EXCHANGE_CODE_INVALID"];
const MESSAGE = "Invalid or expired refresh token exchange code";

async function assertNotBurned(visitor: Visitor, project: SignInProject, back: SignInReturn) {
  assert.equal((await visitor.exchange(project, back)).status, 200);
}

Deno.test("attacks on the one-time code", async (t) => {
  await using fixture = await openFixture();
  const [project, other] = await Promise.all([fixture.project(), fixture.project()]);
  const victim = fixture.visitor();
  const { login } = fixture.githubPerson();
  const attacker = fixture.visitor();
  const mallory = fixture.githubPerson().login;
  const signIn = () => victim.signIn(project, "github", login);

  await t.step(`code replay: of ${REPLAYS} concurrent exchanges exactly one succeeds`, async () => {
    const back = await signIn();
    const answers = await Promise.all(
      Array.from({ length: REPLAYS }, () => attacker.exchange(project, back)),
    );
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assert.deepEqual(refusal(answer), INVALID);
      assert.equal(answer.body.message, MESSAGE);
      assert.deepEqual(answer.body.data, {});
    }
    assert.deepEqual(refusal(await victim.exchange(project, back)), INVALID);
  });

  await t.step("code of another project: it is refused and stays valid", async () => {
    const back = await signIn();
    assert.deepEqual(refusal(await attacker.exchange(other, back)), INVALID);
    await assertNotBurned(victim, project, back);
  });

  await t.step(
    "swapped token: a code is valid only with the token of its own sign-in",
    async () => {
      const [first, second] = [await signIn(), await signIn()];
      assert.equal(first.userId, second.userId);
      const swapped = { rtCode: first.rtCode, token: second.token };
      assert.deepEqual(refusal(await attacker.exchange(project, swapped)), INVALID);
      await assertNotBurned(victim, project, first);
      await assertNotBurned(victim, project, second);
    },
  );

  await t.step("token of another user: a stolen code is refused with it", async () => {
    const back = await signIn();
    const own = await attacker.signIn(project, "github", mallory);
    assert.notEqual(own.userId, back.userId);
    const mixed = { rtCode: back.rtCode, token: own.token };
    assert.deepEqual(refusal(await attacker.exchange(project, mixed)), INVALID);
    const reversed = { rtCode: own.rtCode, token: back.token };
    assert.deepEqual(refusal(await attacker.exchange(project, reversed)), INVALID);
    await assertNotBurned(victim, project, back);
  });

  await t.step("altered token: the comparison includes its signature", async () => {
    const back = await signIn();
    const [header, payload, signature] = back.token.split(".") as [string, string, string];
    for (
      const token of [
        `${header}.${payload}.`,
        `${header}.${payload}.${signature.split("").toReversed().join("")}`,
        `${back.token}.`,
        ` ${back.token}`,
        back.token.slice(0, -1),
        payload,
      ]
    ) {
      const answer = await attacker.exchange(project, { ...back, token });
      assert.deepEqual(refusal(answer), INVALID, token);
    }
    await assertNotBurned(victim, project, back);
  });

  await t.step("code as another type: only text is compared", async () => {
    const back = await signIn();
    const odd = [{ $ne: "" }, { $gt: "" }, ["a"], 1, true, null, "", {}];
    for (const rtCode of [...odd, [back.rtCode]]) {
      const answer = await attacker.post(project, "social/exchange", { token: back.token, rtCode });
      assert.equal(answer.status, 400, JSON.stringify(rtCode));
      assert.equal(answer.body.success, false);
    }
    for (const token of [...odd, [back.token]]) {
      const body = { token, rtCode: back.rtCode };
      const answer = await attacker.post(project, "social/exchange", body);
      assert.equal(answer.status, 400, JSON.stringify(token));
    }
    await assertNotBurned(victim, project, back);
  });

  await t.step("timing: an unknown code and a wrong token get equal refusals", async () => {
    const back = await signIn();
    const { token } = await attacker.signIn(project, "github", mallory);
    const reversed = [...back.rtCode].toReversed().join("");
    // One code exists and the other does not, and the token matches neither.
    const wrong = () => attacker.exchange(project, { rtCode: back.rtCode, token });
    const unknown = () => attacker.exchange(project, { rtCode: reversed, token });
    const [one, two] = [await wrong(), await unknown()];
    assert.deepEqual([one.status, one.text], [two.status, two.text]);
    assert.deepEqual([...one.headers.keys()], [...two.headers.keys()]);
    await assertAlike(wrong, unknown);
    await assertNotBurned(victim, project, back);
  });
});
