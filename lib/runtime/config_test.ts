import assert from "node:assert/strict";
import { ConfigError, loadConfig, type MongoDatabase } from "./config.ts";
import { type Environment, SETTINGS } from "./settings.ts";
import { Secret } from "../crypto/secret.ts";

const KEY_A = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const KEY_B = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

/** Returns the problems of an environment that must be refused. */
function problemsOf(env: Environment): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.problems;
  }
  return assert.fail("expected the environment to be refused");
}

/** Asserts that a setting is refused by its name, and no other one. */
function assertRefused(env: Environment, problem: RegExp): void {
  const problems = problemsOf(env);
  assert.equal(problems.length, 1, problems.join("\n"));
  assert.match(problems[0]!, problem);
}

Deno.test("loadConfig defaults to the embedded store on a local address", () => {
  const config = loadConfig({});
  assert.deepEqual(config, {
    host: "127.0.0.1",
    port: 8000,
    publicUrl: "http://localhost:8000",
    database: { kind: "sqlite", folder: "./data", sync: "full" },
    storage: { kind: "disk", folder: "./data/files" },
    filesUrl: "http://localhost:8000",
    allowPrivateEndpoints: false,
    queryTimeLimitMs: 5000,
    secretKeys: null,
    trustProxy: 0,
    ratePerMinute: 1000,
    registration: "first",
    plans: true,
    workers: 1,
    githubUrl: "https://github.com",
    githubApiUrl: "https://api.github.com",
    googleIssuer: "https://accounts.google.com",
    isLocalDev: false,
    devHosts: null,
    ai: {
      apiKey: null,
      baseUrl: "https://api.groq.com/openai/v1",
      model: "openai/gpt-oss-120b",
      monthlyLimit: null,
    },
    mail: { url: null, keeps: false, from: "" },
    logLevel: "info",
  });
});

Deno.test("the time limit of queries is 1 to 30,000 milliseconds", () => {
  for (const text of ["1", "250", "30000"]) {
    assert.equal(loadConfig({ QUERY_TIME_LIMIT_MS: text }).queryTimeLimitMs, Number(text));
  }
  for (const text of ["0", "30001", "5s", "-1"]) {
    assertRefused({ QUERY_TIME_LIMIT_MS: text }, /^QUERY_TIME_LIMIT_MS must be a whole number/);
  }
});

Deno.test("an empty variable counts as missing", () => {
  const names = Object.keys(SETTINGS) as (keyof Environment)[];
  const empty = Object.fromEntries(names.map((name) => [name, ""]));
  assert.deepEqual(loadConfig(empty), loadConfig({}));
});

Deno.test("DATABASE_URL accepts relative and absolute folders with any characters", () => {
  for (const folder of ["./data", "/var/lib/corbel", "C:/my data"]) {
    const { database } = loadConfig({ DATABASE_URL: `sqlite:${folder}` });
    assert.deepEqual(database, { kind: "sqlite", folder, sync: "full" });
  }
});

Deno.test("DATABASE_URL of another scheme or without a folder is refused", () => {
  for (const url of ["sqlite:", "./data", "file:./data", "postgres://localhost/x", "SQLITE:./x"]) {
    assertRefused({ DATABASE_URL: url }, /^DATABASE_URL must be sqlite:<folder>/);
  }
});

const RING = `k1:${KEY_A}`;

function mongodb(url: string): MongoDatabase {
  const { database } = loadConfig({ DATABASE_URL: url, SECRET_KEYS: RING });
  assert.ok(database.kind === "mongodb");
  return database;
}

Deno.test("DATABASE_URL of MongoDB stays unchanged, and its path is the prefix of database names", () => {
  const table = [
    ["mongodb://localhost", "corbel"],
    ["mongodb://localhost:27017/", "corbel"],
    ["mongodb://localhost:27017/?replicaSet=rs0", "corbel"],
    ["mongodb://u:p%40ss@a:1,b:2,c:3/shop_eu-1?authSource=admin", "shop_eu-1"],
    ["mongodb+srv://u:p@cluster.example.com/x", "x"],
    [`mongodb://localhost/${"p".repeat(38)}`, "p".repeat(38)],
  ] as const;
  for (const [url, prefix] of table) {
    const database = mongodb(url);
    assert.equal(database.url.reveal(), url);
    assert.equal(database.prefix, prefix);
  }
});

Deno.test("DATABASE_URL with an invalid database prefix is refused", () => {
  for (const prefix of ["a.b", "a b", "a/b", "a$", "é", "p".repeat(39)]) {
    assertRefused(
      { DATABASE_URL: `mongodb://localhost/${prefix}`, SECRET_KEYS: RING },
      /^DATABASE_URL must name a prefix of at most 38 letters/,
    );
  }
});

Deno.test("SECRET_KEYS is required with MongoDB", () => {
  assertRefused({ DATABASE_URL: "mongodb://localhost" }, /^SECRET_KEYS is needed with MongoDB/);
});

const AWS_KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "hush" };

Deno.test("STORAGE_URL accepts relative and absolute folders with any characters", () => {
  const table = [
    ["file:./files", "./files"],
    ["file:/var/lib/my files", "/var/lib/my files"],
    ["file:///var/lib/files", "/var/lib/files"],
  ] as const;
  for (const [url, folder] of table) {
    assert.deepEqual(loadConfig({ STORAGE_URL: url }).storage, { kind: "disk", folder });
  }
});

Deno.test("STORAGE_URL accepts a bucket with an optional endpoint", () => {
  const table = [
    ["s3://my-files", { endpoint: null, region: "us-east-1", publicUrl: null }],
    ["s3://my-files?region=eu-west-1", { endpoint: null, region: "eu-west-1", publicUrl: null }],
    ["s3://my-files/?endpoint=http://127.0.0.1:9000/&publicUrl=https://files.example.com/a/", {
      endpoint: "http://127.0.0.1:9000",
      region: "us-east-1",
      publicUrl: "https://files.example.com/a",
    }],
  ] as const;
  for (const [url, expected] of table) {
    const { storage } = loadConfig({ STORAGE_URL: url, ...AWS_KEYS });
    assert.ok(storage.kind === "s3");
    const { secretAccessKey, ...shown } = storage;
    assert.deepEqual(shown, { kind: "s3", bucket: "my-files", accessKeyId: "id", ...expected });
    assert.equal(secretAccessKey.reveal(), "hush");
  }
});

Deno.test("an invalid STORAGE_URL is refused without repeating keys", () => {
  for (
    const url of ["./files", "file:", "s3:", "s3://", "s3://A_B", "s3://a", "https://b.s3.com"]
  ) {
    assertRefused({ STORAGE_URL: url, ...AWS_KEYS }, /^STORAGE_URL must be file:<folder> or s3:/);
  }
  const [problem] = problemsOf({ STORAGE_URL: "s3://key:hush@my-files", ...AWS_KEYS });
  assert.match(problem!, /^STORAGE_URL must be .* and hold no keys$/);
  assert.ok(!problem!.includes("hush"));
});

Deno.test("STORAGE_URL refuses unknown or repeated parameters and invalid addresses", () => {
  const table = [
    ["acl=public", /must hold no parameter but endpoint, region, publicUrl, each once/],
    ["region=a&region=b", /must hold no parameter but/],
    ["endpoint=ftp://x", /must have as endpoint an http or https address/],
    ["endpoint=https://u:hush@x", /must have as endpoint (?!.*hush)/],
    ["publicUrl=https://x/%3Fa", /must have as publicUrl/],
  ] as const;
  for (const [query, problem] of table) {
    assertRefused({ STORAGE_URL: `s3://my-files?${query}`, ...AWS_KEYS }, problem);
  }
});

Deno.test("STORAGE_URL with a bucket requires access keys", () => {
  for (const missing of Object.keys(AWS_KEYS)) {
    assertRefused(
      { STORAGE_URL: "s3://my-files", ...AWS_KEYS, [missing]: "" },
      /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed/,
    );
  }
});

Deno.test("FILES_URL is an origin and defaults to PUBLIC_URL", () => {
  assert.equal(loadConfig({ PUBLIC_URL: "https://a.example" }).filesUrl, "https://a.example");
  assert.equal(loadConfig({ FILES_URL: "https://f.example/" }).filesUrl, "https://f.example");
  for (const url of ["f.example", "https://f.example/x", "ftp://f.example", "https://f.example?"]) {
    assertRefused({ FILES_URL: url }, /^FILES_URL must be an http or https origin/);
  }
});

Deno.test("ALLOW_PRIVATE_ENDPOINTS allows private endpoints only if it is true", () => {
  assert.equal(loadConfig({ ALLOW_PRIVATE_ENDPOINTS: "true" }).allowPrivateEndpoints, true);
  assertRefused({ ALLOW_PRIVATE_ENDPOINTS: "yes" }, /^ALLOW_PRIVATE_ENDPOINTS must be/);
});

Deno.test("SQLITE_SYNC is full or normal", () => {
  for (const sync of ["full", "normal"]) {
    const { database } = loadConfig({ SQLITE_SYNC: sync });
    assert.deepEqual(database, { kind: "sqlite", folder: "./data", sync });
  }
  for (const value of ["off", "FULL", "1"]) {
    assertRefused({ SQLITE_SYNC: value }, /^SQLITE_SYNC must be full or normal, got "/);
  }
});

Deno.test("HOST is used unchanged", () => {
  assert.equal(loadConfig({ HOST: "0.0.0.0" }).host, "0.0.0.0");
  assert.equal(loadConfig({ HOST: "::1" }).host, "::1");
});

Deno.test("PORT is a whole number from 1 to 65535 and part of the default address", () => {
  for (const [text, port] of [["1", 1], ["65535", 65_535], ["8080", 8080]] as const) {
    const config = loadConfig({ PORT: text });
    assert.equal(config.port, port);
    assert.equal(config.publicUrl, `http://localhost:${text}`);
  }
});

Deno.test("an invalid PORT is reported once", () => {
  const wrong = ["0", "65536", "-1", "80.5", "8e3", "0x50", " 80", "80 ", "abc", "9".repeat(30)];
  for (const value of wrong) {
    assertRefused({ PORT: value }, /^PORT must be a whole number from 1 to 65535, got "/);
  }
});

Deno.test("PUBLIC_URL becomes an origin without a final slash", () => {
  const publicUrlOf = (url: string) => loadConfig({ PUBLIC_URL: url }).publicUrl;
  assert.equal(publicUrlOf("https://api.example.com"), "https://api.example.com");
  assert.equal(publicUrlOf("https://api.example.com/"), "https://api.example.com");
  assert.equal(publicUrlOf("https://API.example.com:443"), "https://api.example.com");
  assert.equal(publicUrlOf("https://api.example.com:8443"), "https://api.example.com:8443");
});

Deno.test("PUBLIC_URL that is not an http origin is refused", () => {
  const wrong = [
    "api.example.com",
    "ftp://api.example.com",
    "https://",
    "https://api.example.com/corbel",
  ];
  for (const value of wrong) {
    assertRefused({ PUBLIC_URL: value }, /^PUBLIC_URL must be an http or https origin/);
  }
});

Deno.test("PUBLIC_URL with more than an origin is refused", () => {
  const more = [
    "https://api.example.com/?a=b",
    "https://api.example.com/#top",
    "https://someone@api.example.com",
  ];
  for (const value of more) {
    assertRefused({ PUBLIC_URL: value }, /^PUBLIC_URL must be an http or https origin/);
  }
});

Deno.test("PUBLIC_URL with http requires a local host or ALLOW_INSECURE_COOKIES", () => {
  for (const url of ["http://localhost:8000", "http://127.0.0.1", "http://[::1]:81"]) {
    assert.equal(loadConfig({ PUBLIC_URL: url }).publicUrl, url);
  }
  for (const url of ["http://api.example.com", "http://192.168.0.7", "http://localhost.example"]) {
    const refusal = /^PUBLIC_URL must be https, because cookies .*ALLOW_INSECURE_COOKIES=true/;
    assertRefused({ PUBLIC_URL: url }, refusal);
    assertRefused({ PUBLIC_URL: url, ALLOW_INSECURE_COOKIES: "false" }, refusal);
    const permitted = loadConfig({ PUBLIC_URL: url, ALLOW_INSECURE_COOKIES: "true" });
    assert.equal(permitted.publicUrl, url);
  }
});

Deno.test("an invalid ALLOW_INSECURE_COOKIES is refused and allows nothing", () => {
  for (const value of ["yes", "1", "TRUE"]) {
    const problem = `ALLOW_INSECURE_COOKIES must be false or true, got "${value}"`;
    assert.deepEqual(problemsOf({ ALLOW_INSECURE_COOKIES: value }), [problem]);
    const env = { PUBLIC_URL: "http://api.example.com", ALLOW_INSECURE_COOKIES: value };
    assert.ok(problemsOf(env).includes(problem));
  }
});

Deno.test("SECRET_KEYS is a list of keys that is not printed", () => {
  for (const text of [`k1:${KEY_A}`, `k2:${KEY_B}, k1:${KEY_A}`]) {
    const { secretKeys } = loadConfig({ SECRET_KEYS: text });
    assert.ok(secretKeys instanceof Secret);
    assert.equal(secretKeys.reveal(), text);
  }
  const shown = Deno.inspect(loadConfig({ SECRET_KEYS: `k1:${KEY_A}` }), { depth: 9 });
  assert.match(shown, /\[secret\]/);
  assert.equal(shown.includes(KEY_A.slice(0, 10)), false);
});

Deno.test("an invalid SECRET_KEYS is refused without repeating it", () => {
  const wrong = [
    [`k1:${KEY_A.slice(0, 40)}`, /key 1 has 30 bytes, not 32$/],
    ["k1:%%%not-base64%%%", /key 1 is not base64$/],
    [KEY_A, /key 1 must be id:base64/],
    [`k1:${KEY_A},k1:${KEY_B}`, /two keys have the same id$/],
    [`k1:${KEY_A},`, /key 2 must be id:base64/],
  ] as const;
  for (const [value, problem] of wrong) {
    const problems = problemsOf({ SECRET_KEYS: value });
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /^SECRET_KEYS cannot be used: /);
    assert.match(problems[0]!, problem);
    for (const part of value.split(/[:,]/).filter((text) => text.length > 8)) {
      assert.equal(problems[0]!.includes(part), false, "the value is repeated");
    }
  }
});

Deno.test("a password in DATABASE_URL is not repeated", () => {
  for (const url of ["postgres://corbel:hunter2@db/corbel", "mongodb://corbel:so/hunter2@db/x"]) {
    const problems = problemsOf({ DATABASE_URL: url, SECRET_KEYS: RING });
    assert.match(problems.join(), /DATABASE_URL/);
    assert.equal(problems.join().includes("hunter2"), false, problems.join());
  }
  const config = loadConfig({ DATABASE_URL: "mongodb://u:hunter2@db/x", SECRET_KEYS: RING });
  assert.equal(Deno.inspect(config, { depth: 9 }).includes("hunter2"), false);
  assert.equal(JSON.stringify(config).includes("hunter2"), false);
});

Deno.test("TRUST_PROXY is a whole number from 0 to 100", () => {
  for (const [text, proxies] of [["0", 0], ["1", 1], ["100", 100]] as const) {
    assert.equal(loadConfig({ TRUST_PROXY: text }).trustProxy, proxies);
  }
  for (const value of ["-1", "101", "true", "1.5", "loopback"]) {
    assertRefused({ TRUST_PROXY: value }, /^TRUST_PROXY must be a whole number from 0 to 100/);
  }
});

Deno.test("RATE_LIMITS=off disables a configured limit", () => {
  assert.equal(loadConfig({ RATE_LIMITS: "on" }).ratePerMinute, 1000);
  assert.equal(loadConfig({ RATE_LIMITS: "off" }).ratePerMinute, null);
  assert.equal(loadConfig({ RATE_LIMITS: "off", RATE_LIMIT_PER_MINUTE: "5" }).ratePerMinute, null);
  for (const value of ["no", "OFF", "0"]) {
    assertRefused({ RATE_LIMITS: value }, /^RATE_LIMITS must be on or off, got "/);
  }
});

Deno.test("WORKERS is a whole number from 1 to 256", () => {
  for (const [text, workers] of [["1", 1], ["2", 2], ["256", 256]] as const) {
    assert.equal(loadConfig({ WORKERS: text }).workers, workers);
  }
  for (const value of ["0", "257", "-1", "1.5", "auto", " 2"]) {
    assertRefused({ WORKERS: value }, /^WORKERS must be a whole number from 1 to 256, got "/);
  }
});

Deno.test("RATE_LIMIT_PER_MINUTE is a whole number from 1, also if limits are off", () => {
  for (const [text, limit] of [["1", 1], ["60000", 60_000], ["1000000000", 1e9]] as const) {
    assert.equal(loadConfig({ RATE_LIMIT_PER_MINUTE: text }).ratePerMinute, limit);
  }
  const refusal = /^RATE_LIMIT_PER_MINUTE must be a whole number from 1 to 1000000000, got "/;
  for (const value of ["0", "-5", "1.5", "many", "1000000001"]) {
    assertRefused({ RATE_LIMIT_PER_MINUTE: value }, refusal);
    assertRefused({ RATE_LIMIT_PER_MINUTE: value, RATE_LIMITS: "off" }, refusal);
  }
});

const PROVIDERS = ["GITHUB_URL", "GITHUB_API_URL", "GOOGLE_ISSUER", "AI_BASE_URL"] as const;

Deno.test("provider URLs may be https, or http on a local host", () => {
  const table = [
    ["https://ghe.example", "https://ghe.example"],
    ["https://ghe.example/", "https://ghe.example"],
    ["https://ghe.example:8443/api/v3", "https://ghe.example:8443/api/v3"],
    ["http://127.0.0.1:9000", "http://127.0.0.1:9000"],
    ["http://localhost:9000/realms/one", "http://localhost:9000/realms/one"],
    ["http://[::1]:9000", "http://[::1]:9000"],
  ] as const;
  for (const [given, kept] of table) {
    const config = loadConfig(Object.fromEntries(PROVIDERS.map((name) => [name, given])));
    assert.deepEqual([config.githubUrl, config.githubApiUrl, config.ai.baseUrl], [
      kept,
      kept,
      kept,
    ]);
    assert.equal(config.googleIssuer, given, "an issuer is compared as text");
  }
});

Deno.test("provider URLs over which client secrets would be sent in the clear are refused", () => {
  const wrong = [
    "http://ghe.example",
    "ghe.example",
    "ftp://ghe.example",
    "file:///etc/passwd",
    "https://ghe.example/?a=b",
    "https://ghe.example/#top",
    "https://",
  ];
  for (const name of PROVIDERS) {
    for (const value of wrong) {
      assertRefused({ [name]: value }, new RegExp(`^${name} must be an https address`));
    }
  }
});

Deno.test("a password in a provider URL is refused without repeating it", () => {
  for (const name of PROVIDERS) {
    const problems = problemsOf({ [name]: "https://corbel:hunter2@ghe.example" });
    assert.match(problems.join(), new RegExp(`^${name} must be .* without a user`));
    assert.equal(problems.join().includes("hunter2"), false);
  }
});

Deno.test("AI_API_KEY is a secret that fits into a header", () => {
  const { ai } = loadConfig({ AI_API_KEY: "gsk_platform", AI_MODEL: "one/model" });
  assert.equal(ai.apiKey!.reveal(), "gsk_platform");
  assert.equal(ai.model, "one/model");
  assert.ok(!Deno.inspect(ai).includes("gsk_platform"));
  for (const value of ["gsk_plat form", "gsk_platform\n", "gsk_plätform"]) {
    const problems = problemsOf({ AI_API_KEY: value });
    assert.deepEqual(problems, ["AI_API_KEY must be printable ASCII without spaces"]);
  }
});

Deno.test("AI_MONTHLY_LIMIT is a whole number from 1, or no limit", () => {
  assert.equal(loadConfig({ AI_MONTHLY_LIMIT: "" }).ai.monthlyLimit, null);
  assert.equal(loadConfig({ AI_MONTHLY_LIMIT: "250" }).ai.monthlyLimit, 250);
  for (const value of ["0", "-1", "1.5", "many"]) {
    assert.match(problemsOf({ AI_MONTHLY_LIMIT: value }).join(), /^AI_MONTHLY_LIMIT must be/);
  }
});

Deno.test("LOG_LEVEL is one of four", () => {
  for (const level of ["debug", "info", "warn", "error"] as const) {
    assert.equal(loadConfig({ LOG_LEVEL: level }).logLevel, level);
  }
  for (const value of ["trace", "INFO", "silent"]) {
    assertRefused({ LOG_LEVEL: value }, /^LOG_LEVEL must be info or debug or warn or error, got "/);
  }
});

Deno.test("loadConfig reports all problems with their settings and values", () => {
  const env: Environment = {
    DATABASE_URL: "here",
    SQLITE_SYNC: "maybe",
    SECRET_KEYS: "k1:short",
    PORT: "99999",
    PUBLIC_URL: "nowhere",
    TRUST_PROXY: "x",
    RATE_LIMITS: "sometimes",
    RATE_LIMIT_PER_MINUTE: "0",
    REGISTRATION: "first",
    WORKERS: "0",
    GITHUB_URL: "http://ghe.example",
    GITHUB_API_URL: "here",
    GOOGLE_ISSUER: "there",
    MAIL_URL: "mail.example.com",
    LOG_LEVEL: "loud",
  };
  const problems = problemsOf(env);
  const named = problems.map((problem) => problem.split(" ")[0]).sort();
  assert.deepEqual(named, [
    "DATABASE_URL",
    "GITHUB_API_URL",
    "GITHUB_URL",
    "GOOGLE_ISSUER",
    "LOG_LEVEL",
    "MAIL_FROM",
    "MAIL_URL",
    "PORT",
    "PUBLIC_URL",
    "RATE_LIMITS",
    "RATE_LIMIT_PER_MINUTE",
    "REGISTRATION",
    "SECRET_KEYS",
    "SQLITE_SYNC",
    "TRUST_PROXY",
    "WORKERS",
  ]);
  assert.ok(problems.includes('PORT must be a whole number from 1 to 65535, got "99999"'));
  assert.throws(() => loadConfig(env), (error: Error) => {
    assert.match(error.message, /^The configuration has 16 problem\(s\):\n- /);
    assert.equal(error.message.split("\n").length, 17);
    return true;
  });
});
