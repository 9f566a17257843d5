import assert from "node:assert/strict";
import { changeProject } from "@/lib/projects/change_project.ts";
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { type SessionRecord, SESSIONS } from "@/lib/auth/sessions.ts";
import {
  explainRefusedHeader,
  explainRefusedKey,
  explainRefusedToken,
} from "@/lib/auth/refused_credentials.ts";
import { rotateKey } from "@/lib/projects/rotate_key.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { onEach, openCollection } from "./on_each.ts";
import { createTestCollection, refused, UNKNOWN_ID } from "./test_collection.ts";
import {
  isDashboards,
  type Sample,
  sampleCalls,
  takesKey,
  takesKeyInQuery,
  takesToken,
} from "./sample_calls.ts";

const SAMPLES = sampleCalls();
const KNOWN_SCHEMES = [
  "apiKey",
  "apiKeyInQuery",
  "accessToken",
  "dashboardSession",
  // Invalid tokens are tested in account_token_credentials_test.ts.
  "accountToken",
  // Invalid tickets are tested in create_live_ticket_test.ts.
  "liveTicket",
];

const random = (length: number): string => "A1b2-_".repeat(length).slice(0, length);

/** Returns texts that are not the current key of any project. */
async function badKeys(app: TestApp, project: TestProject): Promise<Record<string, string | null>> {
  const { publishableKey, secretKey, projectId } = project;
  const renewed = await app.project();
  await rotateKey(app.services, renewed.projectId, { kind: "publishable" });
  await rotateKey(app.services, renewed.projectId, { kind: "secret" });
  return {
    missing: null,
    empty: "",
    "a word": "key",
    "a prefix alone": "pk_live_",
    "too short": publishableKey.slice(0, -1),
    "too long": `${publishableKey}x`,
    "two keys": `${publishableKey}, ${secretKey}`,
    "another prefix": secretKey.replace("sk_live_", "sk_test_"),
    "the publishable key as a secret one": publishableKey.replace("pk_", "sk_"),
    "the secret key as a publishable one": secretKey.replace("sk_", "pk_"),
    "upper case": publishableKey.toUpperCase(),
    "another last letter": publishableKey.slice(0, -1) + (publishableKey.endsWith("A") ? "B" : "A"),
    "unknown publishable": `pk_live_${random(43)}`,
    "unknown secret": `sk_live_${random(43)}`,
    "rotated publishable": renewed.publishableKey,
    "rotated secret": renewed.secretKey,
    "a project id": projectId,
    "a pattern": `pk_live_${"%".repeat(43)}`,
    "an object": '{"$ne":null}',
  };
}

/** Returns bearer tokens that must be refused next to a publishable key of the project. */
async function badTokens(app: TestApp, project: TestProject): Promise<Record<string, string>> {
  const { services, clock } = app;
  const { projectId } = project;
  const { id: userId, token } = await project.user();
  const other = await project.user();
  const revoked = await project.user();
  const foreignProject = await app.project();
  const foreign = await foreignProject.user();
  const key = (await services.signingKeys.find(projectId))!;
  const foreignKey = (await services.signingKeys.find(foreignProject.projectId))!;
  const own = await key.privateKey();
  const attacker = await generateKeyPair("EdDSA", { extractable: true });
  const claims = decodeJwt(token);
  const now = Math.floor(clock.now() / 1000);
  const header = { alg: "EdDSA", typ: "at+jwt", kid: key.kid };

  const sign = (changes: JWTPayload, head: object = {}, by: CryptoKey | Uint8Array = own) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, ...head }).sign(by);
  const [head, payload, signature] = token.split(".") as [string, string, string];
  const encoded = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const unsigned = encoded({ ...header, alg: "none" });
  const text = (value: string) => new TextEncoder().encode(value);
  const hmac = (secret: Uint8Array) => sign({}, { alg: "HS256" }, secret);

  await services.engine.records<SessionRecord>(projectId, SESSIONS).updateOne(
    eq("_id", decodeJwt(revoked.token).sid as string),
    { set: { revokedAt: new Date(clock.now()).toISOString() } },
  );

  return {
    "a word": "token",
    "three words": "a.b.c",
    "two parts": `${head}.${payload}`,
    "four parts": `${token}.${signature}`,
    "no signature": `${head}.${payload}.`,
    "another user in an old signature": `${head}.${
      encoded({ ...claims, sub: other.id })
    }.${signature}`,
    "a changed signature": `${head}.${payload}.${signature.slice(1)}A`,
    "alg none": `${unsigned}.${payload}.`,
    "alg none with the old signature": `${unsigned}.${payload}.${signature}`,
    "signed by an attacker": await sign({}, {}, attacker.privateKey),
    "signed by an attacker who brings the key": await sign(
      {},
      { jwk: await exportJWK(attacker.publicKey) },
      attacker.privateKey,
    ),
    "signed by another project's key": await sign({}, {}, await foreignKey.privateKey()),
    "HS256 with the public key's bytes": await hmac(
      Uint8Array.fromBase64(key.publicJwk.x!, { alphabet: "base64url" }),
    ),
    "HS256 with the public key's text": await hmac(text(key.publicJwk.x!)),
    "HS256 with the public key as JWK": await hmac(text(JSON.stringify(key.publicJwk))),
    "alg Ed25519": await sign({}, { alg: "Ed25519" }),
    "another project's token": foreign.token,
    "another project's issuer": await sign({ iss: decodeJwt(foreign.token).iss! }),
    "another host's issuer": await sign({ iss: `https://evil.example/api/projects/${projectId}` }),
    "no issuer": await sign({ iss: undefined as unknown as string }),
    "another audience": await sign({ aud: foreignProject.projectId }),
    "a list of the right audience": await sign({ aud: [projectId] }),
    "a list of audiences": await sign({ aud: [projectId, foreignProject.projectId] }),
    "no audience": await sign({ aud: undefined as unknown as string }),
    "typ JWT": await sign({}, { typ: "JWT" }),
    "no typ": await sign({}, { typ: undefined }),
    "expired": await sign({ exp: now - 60 }),
    "no exp": await sign({ exp: undefined as unknown as number }),
    "no iat": await sign({ iat: undefined as unknown as number }),
    "no sub": await sign({ sub: undefined as unknown as string }),
    "no sid": await sign({ sid: undefined }),
    "exp as text": await sign({ exp: String(now + 900) as unknown as number }),
    "sub as number": await sign({ sub: 1 as unknown as string }),
    "sid as list": await sign({ sid: [claims.sid] }),
    "not yet valid": await sign({ nbf: now + 600 }),
    "an unknown session": await sign({ sid: UNKNOWN_ID }),
    "another user's session": await sign({ sub: other.id }),
    "a revoked session": revoked.token,
    "a critical header": await sign({}, { crit: ["exp"], exp: now }).catch(() => "a.b.c"),
    "a user id": userId,
    "an API key": project.secretKey,
  };
}

const withBadBody = ({ call }: Sample) =>
  call.body === undefined ? call : { ...call, body: '{"broken":' };

Deno.test("every operation declares security schemes that these tests know", () => {
  assert.ok(SAMPLES.length > 0);
  for (const { operationId, security } of SAMPLES) {
    for (const scheme of security.flat()) {
      assert.ok(
        KNOWN_SCHEMES.includes(scheme),
        `${operationId} takes "${scheme}": give the battery bad credentials of that kind`,
      );
    }
    const named = security.every((alternative) =>
      alternative.some((one) => /^(?:apiKey|dashboardSession$|accountToken$|liveTicket$)/.test(one))
    );
    assert.ok(security.length === 0 || named, `${operationId} has an alternative without a key`);
  }
});

const IN_ADDRESS = "Send the project's publishable key as the query parameter x-api-key.";

const withBadKeys = async () => {
  const collection = await openCollection();
  const keys = await badKeys(collection.app, collection.project);
  return { ...collection, keys, ...await collection.project.user() };
};

onEach(
  "every invalid key in the query gets the 401 that it gets in the header",
  SAMPLES.filter(takesKeyInQuery),
  withBadKeys,
  ({ call }, { app, keys, untouched }) =>
    untouched(async () => {
      for (const [kind, key] of Object.entries(keys)) {
        if (key === null) continue;
        for (const name of ["x-api-key", "key"]) {
          const path = `${call.path}?${new URLSearchParams({ [name]: key })}`;
          const answer = await app.send({ ...call, path });
          refused(answer, 401, "API_KEY_INVALID");
          const why: string = /^sk_live_/.test(key)
            ? `A secret key must not be in an address, which many places store. ${IN_ADDRESS}`
            : explainRefusedKey({ apiKey: key });
          assert.equal(answer.body.message, why, `${kind}: nothing else is reported`);
        }
      }
    }),
);

onEach(
  "every invalid key gets a 401 that explains the key, even with a malformed body",
  SAMPLES.filter(takesKey),
  withBadKeys,
  (sample, { app, keys, project, token, untouched }) =>
    untouched(async () => {
      for (const [kind, key] of Object.entries(keys)) {
        for (const one of [sample.call, withBadBody(sample)]) {
          for (const authorization of [null, `Bearer ${token}`, `Bearer ${project.secretKey}`]) {
            const headers = {
              ...(key !== null && { "x-api-key": key }),
              ...(authorization !== null && { authorization }),
            };
            const answer = await app.send({ ...one, headers });
            refused(answer, 401, "API_KEY_INVALID");
            const why = !takesKeyInQuery(sample)
              ? explainRefusedKey({ apiKey: key, authorization })
              : key === null
              ? `The API key is missing. ${IN_ADDRESS}`
              : explainRefusedKey({ apiKey: key });
            assert.equal(answer.body.message, why, `${kind}: nothing else is reported`);
          }
        }
      }
    }),
);

onEach("a key in the query does not count", SAMPLES.filter(takesKey), openCollection, async (
  { call },
  { app, project: { secretKey }, untouched },
) => {
  await untouched(async () => {
    for (const name of ["x-api-key", "key", "apiKey"]) {
      const path = `${call.path}?${name}=${secretKey}`;
      refused(await app.send({ ...call, path }), 401, "API_KEY_INVALID");
    }
  });
});

for (const { operationId, call } of SAMPLES.filter(takesKey)) {
  Deno.test(`${operationId}: a rotated key is refused at once, and the new one is accepted`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const { project } = collection;
    const send = (key: string) => app.send({ ...call, headers: { "x-api-key": key } });
    assert.notEqual((await send(project.publishableKey)).body?.code, "API_KEY_INVALID");
    const { key: fresh } = await rotateKey(app.services, project.projectId, {
      kind: "publishable",
    });
    refused(await send(project.publishableKey), 401, "API_KEY_INVALID");
    assert.notEqual((await send(fresh)).body?.code, "API_KEY_INVALID");
    assert.notEqual((await send(project.secretKey)).body?.code, "API_KEY_INVALID");
  });
}

const inCollections = SAMPLES.filter(takesKey)
  .filter(({ template }) => template.includes("{collectionName}"));

onEach(
  "another project's keys cannot reach this project's collections",
  inCollections,
  async () => {
    const collection = await openCollection({}, { rls: { enabled: false } });
    return { ...collection, stranger: await collection.app.project() };
  },
  ({ call }, { stranger, untouched }) =>
    untouched(async () => {
      for (const as of [stranger.asSecret, stranger.asPublic]) {
        refused(await as(call), 404, "COLLECTION_NOT_FOUND");
      }
    }),
);

Deno.test("every operation that takes a token refuses an invalid one, except logout", () => {
  const lenient = SAMPLES.filter(takesToken)
    .filter(({ codes }) => !codes.includes("ACCESS_TOKEN_INVALID"));
  assert.deepEqual(lenient.map(({ operationId }) => operationId), ["logout"]);
});

const TOKEN_SAMPLES = SAMPLES.filter(({ codes }) => codes.includes("ACCESS_TOKEN_INVALID"));

for (const rls of [{ enabled: false }, { mode: "public-read" }, { mode: "private" }]) {
  onEach(
    `with ${
      JSON.stringify(rls)
    } every invalid token gets a 401 that explains the token, even with a malformed body`,
    TOKEN_SAMPLES,
    async () => {
      const collection = await openCollection({}, { rls });
      const { app, project } = collection;
      // Requests for uploads that are off are refused before the token is checked.
      await changeProject(app.services, project.projectId, { files: { userUploads: "signed-in" } });
      const { token } = await project.user();
      const headers: Record<string, string> = {
        "no scheme": token,
        "another scheme": `Basic ${token}`,
        "the scheme alone": "Bearer",
        "an empty token": "Bearer ",
        "two spaces": `Bearer  ${token}`,
        "two tokens": `Bearer ${token} ${token}`,
        "two headers": `Bearer ${token}, Bearer ${token}`,
        "nothing": "",
      };
      for (const [kind, bad] of Object.entries(await badTokens(app, project))) {
        headers[kind] = `Bearer ${bad}`;
      }
      return { ...collection, headers };
    },
    async (sample, { app, project, headers, untouched }) => {
      const context = { projectId: project.projectId, now: app.clock.now() };
      await untouched(async () => {
        for (const [kind, authorization] of Object.entries(headers)) {
          for (const one of [sample.call, withBadBody(sample)]) {
            const answer = await app.send({
              ...one,
              headers: { "x-api-key": project.publishableKey, authorization },
            });
            refused(answer, 401, "ACCESS_TOKEN_INVALID");
            const token = /^Bearer (.+)$/.exec(authorization)?.[1];
            const why = token === undefined
              ? explainRefusedHeader(authorization)
              : explainRefusedToken(token, context);
            assert.equal(answer.body.message, why, `${kind}: nothing else is reported`);
          }
        }
      });
    },
  );
}

for (const { operationId, call } of TOKEN_SAMPLES) {
  Deno.test(`${operationId}: a valid token is accepted, and with the secret key any token is ignored`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const { project } = collection;
    const codes = ["API_KEY_INVALID", "ACCESS_TOKEN_INVALID", "ACCESS_TOKEN_REQUIRED"];
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const authorization = `${scheme} ${(await project.user()).token}`;
      const answer = await app.send({
        ...call,
        headers: { "x-api-key": project.publishableKey, authorization },
      });
      assert.ok(!codes.includes(answer.body?.code), answer.text);
    }
    const { token } = await project.user();
    for (const authorization of ["", "Bearer x", "Basic x", `Bearer ${token}x`]) {
      const answer = await app.send({
        ...call,
        headers: { "x-api-key": project.secretKey, authorization },
      });
      assert.ok(!codes.includes(answer.body?.code), answer.text);
    }
  });
}

const PUBLIC_SAMPLES = SAMPLES.filter((sample) =>
  sample.security.length === 0 && !isDashboards(sample)
);

/** Operations that check the signature of their address first. */
const SIGNED_ADDRESSES = new Set(["putBlob", "getUpload", "cancelUpload"]);

for (const { operationId, call } of PUBLIC_SAMPLES) {
  Deno.test(`${operationId}: everyone may call it, and credentials make no difference`, async () => {
    await using app = await openTestApp();
    const { projectId, secretKey } = await app.project();
    const path = call.path.replace(/[0-9a-f]{24}/, projectId);
    const plain = await app.send({ ...call, path });
    // The address of a sample has no valid signature.
    if (SIGNED_ADDRESSES.has(operationId)) refused(plain, 403, "UPLOAD_TOKEN_INVALID");
    else assert.ok(![401, 403].includes(plain.status), plain.text);
    for (const key of ["", "wrong", secretKey]) {
      const headers = { "x-api-key": key, authorization: "Bearer wrong" };
      const answer = await app.send({ ...call, path, headers });
      assert.equal(answer.status, plain.status);
      assert.equal(answer.text, plain.text);
    }
  });
}

Deno.test("a token is accepted until it expires, with at most five seconds of grace", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const ann = await collection.project.user();
  app.clock.advance(899_000);
  assert.equal((await collection.asPublic({}, ann)).status, 200);
  app.clock.advance(6_001);
  refused(await collection.asPublic({}, ann), 401, "ACCESS_TOKEN_INVALID");
});

Deno.test("a revoked session ends its tokens at once in its process, and within 5 s elsewhere", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  const sessions = app.services.engine.records<SessionRecord>(
    collection.project.projectId,
    SESSIONS,
  );
  const revoke = async (token: string) => {
    const id = decodeJwt(token).sid as string;
    const revokedAt = new Date(app.clock.now()).toISOString();
    await sessions.updateOne(eq("_id", id), { set: { revokedAt } });
    return id;
  };
  for (const user of [ann, bob]) assert.equal((await collection.asPublic({}, user)).status, 200);
  app.services.sessions.forget(collection.project.projectId, [await revoke(ann.token)]);
  refused(await collection.asPublic({}, ann), 401, "ACCESS_TOKEN_INVALID");
  await revoke(bob.token);
  app.clock.advance(5_000);
  refused(await collection.asPublic({}, bob), 401, "ACCESS_TOKEN_INVALID");
});

Deno.test("an expired session ends its tokens, even those that expire later", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const { token } = await collection.project.user();
  const key = (await app.services.signingKeys.find(collection.project.projectId))!;
  const claims = decodeJwt(token);
  const long = await new SignJWT({ ...claims, exp: claims.exp! + 40 * 86_400 })
    .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: key.kid })
    .sign(await key.privateKey());
  const user = { id: claims.sub!, token: long };
  assert.equal((await collection.asPublic({}, user)).status, 200);
  app.clock.advance(30 * 86_400_000);
  refused(await collection.asPublic({}, user), 401, "ACCESS_TOKEN_INVALID");
});

Deno.test("a token that another project refuses stays valid in its own", async () => {
  await using app = await openTestApp();
  const [one, two] = [await createTestCollection(app), await createTestCollection(app)];
  const ann = await one.project.user();
  for (let round = 0; round < 2; round++) {
    assert.equal((await one.asPublic({}, ann)).status, 200);
    refused(await two.asPublic({}, ann), 401, "ACCESS_TOKEN_INVALID");
  }
});
