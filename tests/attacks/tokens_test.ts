import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import { createCollection, issueToken } from "../acceptance/project.ts";
import { until } from "../acceptance/until.ts";
import type { Forgery } from "../support/forged_id_token.ts";
import { assertSentBack, openFixture, userIdOfToken } from "./fixture.ts";

const FLOOD = 30;
/** Milliseconds that exceed the tolerated expiry of a one-second token. */
const EXPIRY_MS = 20_000;

const FORGERIES: Record<string, readonly Forgery[]> = {
  "alg:none": ["alg none", "no signature"],
  "algorithm confusion": ["alg HS256 with the public key", "alg ES256 with a published key"],
  "issuer swap": ["wrong issuer", "issuer with a slash"],
  "audience swap": ["wrong audience", "two audiences", "no audience"],
  "expired and future tokens": [
    "expired",
    "no expiry",
    "not yet valid",
    "issued in the future",
  ],
  "nonce replay": ["wrong nonce", "no nonce", "replayed"],
  "forged signature": ["bad signature", "foreign key of the same kid"],
  "another person's token": ["no subject"],
};

Deno.test("attacks on a provider's ID tokens", async (t) => {
  await using fixture = await openFixture();
  const { google } = fixture;
  const project = await fixture.project();
  const signInGood = async () => {
    const { login } = fixture.googlePerson();
    return await fixture.visitor().signIn(project, "google", login);
  };
  const attempt = async () => {
    const { login } = fixture.googlePerson();
    const visitor = fixture.visitor();
    return await visitor.open(await visitor.approveSignIn(project, "google", login));
  };

  for (const [attack, forgeries] of Object.entries(FORGERIES)) {
    await t.step(`${attack}: no user is signed in`, async () => {
      await signInGood();
      const before = (await fixture.users(project)).length;
      for (const forgery of forgeries) {
        google.forge(forgery);
        assertSentBack(await attempt(), project);
        google.forge(null);
      }
      assert.equal((await fixture.users(project)).length, before);
      await signInGood();
    });
  }

  await t.step(
    `unknown kid flood: ${FLOOD} tokens cause at most one request for keys`,
    async () => {
      await signInGood();
      google.forge("unknown kid");
      const before = google.jwksRequests();
      for (let i = 0; i < FLOOD / 2; i++) assertSentBack(await attempt(), project);
      const answers = await Promise.all(Array.from({ length: FLOOD / 2 }, attempt));
      for (const answer of answers) assertSentBack(answer, project);
      assert.ok(google.jwksRequests() - before <= 1, `${google.jwksRequests() - before} requests`);
      google.forge(null);
      await signInGood();
    },
  );
});

type Claims = Record<string, unknown>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part: string): Claims => JSON.parse(Buffer.from(part, "base64url").toString());

/** Returns a token of Corbel with other claims and header, signed with the given key. */
function forged(
  token: string,
  changes: { header?: Claims; payload?: Claims },
  signer: (text: string) => Buffer | string,
): string {
  const [header, payload] = token.split(".") as [string, string, string];
  const text = [
    { ...decode(header), ...changes.header },
    { ...decode(payload), ...changes.payload },
  ].map(encode).join(".");
  const signature = signer(text);
  return `${text}.${typeof signature === "string" ? signature : signature.toString("base64url")}`;
}

const by = (key: KeyObject) => (text: string) => sign(null, Buffer.from(text), key);

Deno.test("attacks on Corbel's own access tokens", async (t) => {
  await using fixture = await openFixture();
  const [project, other] = await Promise.all([fixture.project(), fixture.project()]);
  await createCollection(fixture.server.settings, project, { name: "notes", fields: [] });
  const victim = await fixture.visitor().signIn(project, "github", fixture.githubPerson().login);
  const attacker = await fixture.visitor().signIn(project, "github", fixture.githubPerson().login);
  const { body: { keys: [jwk] } } = await fixture.send({
    path: `/api/projects/${project.projectId}/jwks.json`,
  });
  const published = createPublicKey({ key: jwk, format: "jwk" });
  const foreign = generateKeyPairSync("ed25519").privateKey;

  async function assertRefused(token: string, at = project): Promise<void> {
    const key = at.publishableKey;
    for (const path of ["/api/userAuth/me", "/api/userAuth/sessions", "/api/data/notes"]) {
      const { status, body } = await fixture.send({ path, key, token });
      assert.equal(status, 401, path);
      assert.equal(body.success, false);
    }
  }

  await t.step("the unforged token of these tests is valid", async () => {
    assert.equal(await userIdOfToken(fixture, project, victim.token), victim.userId);
    assert.equal(await userIdOfToken(fixture, project, attacker.token), attacker.userId);
  });

  await t.step("alg:none is refused in any spelling with any signature", async () => {
    const [, , signature] = attacker.token.split(".") as [string, string, string];
    for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
      const changes = { header: { alg }, payload: { sub: victim.userId } };
      await assertRefused(forged(attacker.token, changes, () => ""));
      await assertRefused(forged(attacker.token, changes, () => signature));
    }
  });

  await t.step("algorithm confusion: the public key as a shared secret is refused", async () => {
    const secrets = [
      published.export({ type: "spki", format: "pem" }),
      published.export({ type: "spki", format: "der" }),
      Buffer.from(jwk.x, "base64url"),
      Buffer.from(jwk.x),
      JSON.stringify(jwk),
      "",
    ];
    for (const secret of secrets) {
      const changes = { header: { alg: "HS256" }, payload: { sub: victim.userId } };
      const mac = (text: string) => createHmac("sha256", secret).update(text).digest();
      await assertRefused(forged(attacker.token, changes, mac));
    }
  });

  await t.step("a key of the attacker, known or embedded, is refused", async () => {
    const own = createPublicKey(foreign).export({ format: "jwk" });
    for (
      const header of [
        {},
        { kid: "another" },
        { jwk: own },
        { jku: "https://evil.example/jwks.json" },
        { x5u: "https://evil.example/x" },
        { kid: "../../../../dev/null" },
      ]
    ) {
      const changes = { header, payload: { sub: victim.userId } };
      await assertRefused(forged(attacker.token, changes, by(foreign)));
    }
  });

  await t.step("altered claims with the original signature are refused", async () => {
    const [, , signature] = attacker.token.split(".") as [string, string, string];
    for (
      const payload of [
        { sub: victim.userId },
        { exp: 4_102_444_800 },
        { aud: other.projectId },
        { sid: "0".repeat(24) },
      ]
    ) await assertRefused(forged(attacker.token, { payload }, () => signature));
    await assertRefused(`${attacker.token.slice(0, -4)}AAAA`);
  });

  await t.step("issuer and audience swap: a token of another project is refused", async () => {
    await assertRefused(victim.token, other);
    const otherSignIn = await fixture.visitor().signIn(
      other,
      "github",
      fixture.githubPerson().login,
    );
    await assertRefused(otherSignIn.token);
    assert.equal(await userIdOfToken(fixture, other, otherSignIn.token), otherSignIn.userId);
  });

  await t.step(
    "other credentials as a token are refused: a code, a refresh token, an API key",
    async () => {
      const visitor = fixture.visitor();
      const entered = await visitor.signInAndExchange(
        project,
        "github",
        fixture.githubPerson().login,
      );
      for (const token of [entered.rtCode, entered.refreshToken, project.secretKey, "null", ""]) {
        await assertRefused(token);
      }
    },
  );

  await t.step("an expired token is refused", async () => {
    const { settings } = fixture.server;
    const token = fixture.secret(await issueToken(settings, project, victim.userId, 1));
    assert.equal(await userIdOfToken(fixture, project, token), victim.userId);
    await until(
      "the token has expired",
      async () => await userIdOfToken(fixture, project, token) === null,
      EXPIRY_MS,
    );
    await assertRefused(token);
    assert.equal(await userIdOfToken(fixture, project, victim.token), victim.userId);
  });
});
