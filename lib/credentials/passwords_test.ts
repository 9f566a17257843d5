import assert from "node:assert/strict";
import { PASSWORD_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { isCommonPassword } from "./common_passwords.ts";
import { checkNewPassword, createPasswords, isBcrypt, isUsableHash } from "./passwords.ts";

const passwords = createPasswords(2);

Deno.test("hash returns an argon2id hash that matches only its password", async () => {
  const hash = await passwords.hash("seven wet stones 41");
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await passwords.verify(hash, "seven wet stones 41"), true);
  for (const other of ["", "seven wet stones 4", "Seven wet stones 41"]) {
    assert.equal(await passwords.verify(hash, other), false, other);
  }
});

Deno.test("verify accepts composed and decomposed letters alike", async () => {
  const hash = await passwords.hash("caf\u00e9 au lait");
  assert.equal(await passwords.verify(hash, "cafe\u0301 au lait"), true);
});

Deno.test("verify accepts the longest password and rejects longer texts", async () => {
  const longest = "\u{1F511}".repeat(PASSWORD_LENGTH_MAX);
  const hash = await passwords.hash(longest);
  assert.equal(await passwords.verify(hash, longest), true);
  for (const longer of [`${longest}x`, "\u0301\u0327".repeat(1_000_000)]) {
    assert.equal(await passwords.verify(hash, longer), false);
  }
});

Deno.test("verify without a hash returns false", async () => {
  for (const password of ["", "seven wet stones 41"]) {
    assert.equal(await passwords.verify(null, password), false);
  }
});

/** Hash of "seven wet stones 41" with the cost 4, by Go's `golang.org/x/crypto/bcrypt`. */
const BCRYPT_HASH = "$2a$04$PS0cH9PdGgmn6DSknloRt.Q.b6Ppinv4tfBxLDcS93faIN772lOCC";

Deno.test("verify accepts bcrypt hashes of each version", async () => {
  for (const name of ["2a", "2b", "2y"]) {
    const hash = BCRYPT_HASH.replace("$2a$", `$${name}$`);
    assert.ok(isBcrypt(hash), name);
    assert.equal(await passwords.verify(hash, "seven wet stones 41"), true, name);
    for (const other of ["", "seven wet stones 4", "seven wet stones 41\0", "x".repeat(100)]) {
      assert.equal(await passwords.verify(hash, other), false, other);
    }
  }
  assert.ok(!isBcrypt(await passwords.hash("seven wet stones 41")));
});

Deno.test("verify rejects passwords that bcrypt would truncate", async () => {
  const { hash } = await import("@node-rs/bcrypt");
  const longest = "x".repeat(72);
  for (const text of [longest, "\u00e9".repeat(36)]) {
    const stored = await hash(text, 4);
    assert.equal(await passwords.verify(stored, text), true);
    assert.equal(await passwords.verify(stored, `${text}y`), false, "the 73rd byte counts");
  }
  const empty = await hash("", 4);
  for (const text of [`${longest}x`, "\0", "\0x"]) {
    assert.equal(await passwords.verify(empty, text), false, "does not match the empty password");
  }
});

Deno.test("isBcrypt rejects hashes that are too costly or malformed", () => {
  for (const cost of ["04", "10"]) {
    assert.ok(isBcrypt(BCRYPT_HASH.replace("$04$", `$${cost}$`)));
  }
  for (const cost of ["00", "03", "11", "15", "31", "99"]) {
    assert.ok(!isBcrypt(BCRYPT_HASH.replace("$04$", `$${cost}$`)), cost);
  }
  for (
    const text of [BCRYPT_HASH.slice(0, -1), `${BCRYPT_HASH}x`, BCRYPT_HASH.replace("2a", "2x")]
  ) {
    assert.ok(!isBcrypt(text), text);
  }
});

const argon2 = (parameters: string) =>
  `$argon2id$v=19$${parameters}$c29tZXNhbHRzb21lc2FsdA$${"A".repeat(43)}`;

const TOO_COSTLY = [
  "m=1048576,t=30,p=1",
  "m=38913,t=1,p=1",
  "m=38912,t=3,p=1",
  "m=19456,t=5,p=1",
  "m=8,t=9729,p=1",
  "m=999999,t=1,p=1",
  "m=8,t=1000000,p=1",
  "m=19456,t=2,p=5",
  "m=19456,t=2,p=9",
].map(argon2);

Deno.test("isUsableHash accepts argon2id hashes with up to twice Corbel's memory and work", async () => {
  const own = await passwords.hash("seven wet stones 41");
  const right = ["m=19456,t=4,p=1", "m=38912,t=2,p=1", "m=7168,t=5,p=1", "m=19456,t=2,p=4"];
  for (const hash of [own, ...right.map(argon2)]) assert.ok(isUsableHash(hash), hash);
  const broken = [
    argon2("m=19456,t=0,p=1"),
    argon2("m=0,t=2,p=1"),
    argon2("m=7,t=2,p=1"),
    argon2("m=19456,t=2,p=0"),
    argon2("m=19456,t=2,p=1").replace("argon2id", "argon2i"),
    argon2("m=19456,t=2,p=1").replace("v=19", "v=16"),
    `${argon2("m=19456,t=2,p=1")}${"A".repeat(100)}`,
    `${argon2("m=19456,t=2,p=1")}\n`,
    `${own} `,
    "",
    "plain",
  ];
  for (const hash of [...TOO_COSTLY, ...broken]) assert.ok(!isUsableHash(hash), hash);
});

Deno.test("verify does not use a hash that is too costly, and does the work of a wrong password", async () => {
  const { seen, load } = await loadCounted();
  const verifiedHashes: string[] = [];
  const { verify } = createPasswords(2, async () => {
    const { hash, verify } = await load();
    return {
      hash,
      verify: (hash: string, ...more) => {
        verifiedHashes.push(hash);
        return verify(hash, ...more);
      },
    } as Awaited<ReturnType<typeof load>>;
  });
  const costly = [...TOO_COSTLY, BCRYPT_HASH.replace("$04$", "$14$"), "no hash"];
  for (const hash of costly) assert.equal(await verify(hash, "seven wet stones 41"), false, hash);
  assert.deepEqual([seen.verified, new Set(verifiedHashes).size], [costly.length, 1]);
  assert.ok(verifiedHashes.every(isUsableHash));
});

/** Loads the real module and counts its running and finished calls. */
async function loadCounted() {
  const { hash, verify } = await import("@node-rs/argon2");
  const seen = { now: 0, most: 0, verified: 0 };
  async function count<T>(work: () => Promise<T>): Promise<T> {
    seen.most = Math.max(seen.most, ++seen.now);
    return await work().finally(() => void seen.now--);
  }
  const load = () =>
    Promise.resolve({
      hash: (...args: Parameters<typeof hash>) => count(() => hash(...args)),
      verify: (...args: Parameters<typeof verify>) => {
        seen.verified++;
        return count(() => verify(...args));
      },
    });
  return { seen, load };
}

Deno.test("hash and verify run no more than the allowed number at once", async () => {
  const { seen, load } = await loadCounted();
  const { hash, verify } = createPasswords(2, load);
  const stored = await hash("one");
  await Promise.all(
    Array.from({ length: 12 }, (_, n) => n % 2 ? hash(`${n}`) : verify(stored, "x")),
  );
  assert.deepEqual([seen.most, seen.now], [2, 0]);
});

Deno.test("verify does the same work for an unknown account as for a wrong password", async () => {
  const { seen, load } = await loadCounted();
  const { hash, verify } = createPasswords(2, load);
  const stored = await hash("one");
  for (const [n, known] of [stored, null, stored, null].entries()) {
    await verify(known, "x");
    assert.equal(seen.verified, n + 1);
  }
});

Deno.test("hash completes more calls than may run at once", async () => {
  const hashes = await Promise.all(Array.from({ length: 20 }, (_, n) => passwords.hash(`${n}`)));
  assert.equal(new Set(hashes).size, 20);
  for (const n of [7, 8, 9]) assert.equal(await passwords.verify(hashes[n]!, `${n}`), true);
});

Deno.test("a failed call does not block later calls", async () => {
  const { hash, verify } = await import("@node-rs/argon2");
  let fails = true;
  const failing = createPasswords(1, () =>
    Promise.resolve({
      hash,
      verify: (...args: Parameters<typeof verify>) =>
        fails ? Promise.reject(new Error("out of memory")) : verify(...args),
    }));
  const stored = await failing.hash("one");
  for (let n = 0; n < 3; n++) await assert.rejects(failing.verify(stored, "one"), /out of memory/);
  fails = false;
  assert.equal(await failing.verify(stored, "one"), true);
});

Deno.test("isCommonPassword ignores digits, signs and look-alike characters", () => {
  const common = [
    "password",
    "password1",
    "password123",
    "passw0rd!",
    "p@$$w0rd",
    "123456789",
    "qwerty123",
    "1q2w3e4r",
    "1qaz2wsx",
    "iloveyou2",
    "letmein2024",
    "sunshine!!",
    "99problems".replace("problems", "dragon"),
    "11111111",
    "aaaaaaaaaa",
    "00000000",
    "abcd1234",
    "monkeymonkey",
    "trustno1",
  ];
  for (const password of common) assert.ok(isCommonPassword(password), password);
  const own = [
    "seven wet stones 41",
    "correct horse battery staple",
    "dragonfly on the pond",
    "password of my own making",
    "x7k2m9qp",
    "8213690457",
    "äöüßéèñç",
  ];
  for (const password of own) assert.ok(!isCommonPassword(password), password);
});

Deno.test("checkNewPassword counts an emoji as one character", async () => {
  await checkNewPassword("😀🚀🌍🎈🐙🍄🧭🪁", "a@example.com");
  await assert.rejects(
    checkNewPassword("😀🚀🌍🎈🐙🍄🧭", "a@example.com"),
    (error) => error instanceof Problem && error.code === "INVALID_PASSWORD",
  );
});
