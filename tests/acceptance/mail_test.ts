import assert from "node:assert/strict";
import { RUNS } from "../property/run.ts";
import { type ReceivedMail, startSmtpServer, type TestSmtpServer } from "../support/smtp_server.ts";
import { createTestStore, database } from "../support/test_store.ts";
import { createCertificate } from "../support/tls.ts";
import { createProject, type Project, send } from "./project.ts";
import { Delays } from "./delays.ts";
import { type Server, type Settings, startServer } from "./server.ts";
import { until } from "./until.ts";

const FROM = "Bücherei <no-reply@corbel.example>";
const PASSWORD = "seven wet stones 41";
/**
 * Milliseconds within which a restarted process sends all remaining mails. MongoDB's stand-in keeps
 * the leases of a dead process for up to a minute.
 */
const TAKEN_OVER_MS = database === "sqlite" ? 20_000 : 200_000;

const mailSettings = (url: string): Settings => ({
  MAIL_URL: url,
  MAIL_FROM: FROM,
  RATE_LIMITS: "off",
  PLANS: "off",
  TRUST_PROXY: "1",
});

const post = (server: Server, { publishableKey: key }: Project, path: string, body: unknown) =>
  send(server, { path: `/api/userAuth/${path}`, key, body });

const codeIn = ({ text }: ReceivedMail): string => /\b\d{6}\b/.exec(text)![0];

async function logged(server: Server, { secretKey: key }: Project) {
  const { body } = await send(server, { path: "/api/mail/logs", key });
  return body.data.items;
}

const user = { name: "mailer@corbel.example", password: "p:/ä s" };
const certificate = createCertificate("mail.test");

for (const tls of [undefined, "starttls", "implicit"] as const) {
  Deno.test(`a user signs up, verifies and signs in by mails of a process, ${tls ?? "without TLS"}`, async () => {
    await using smtp = await startSmtpServer({ certificate, user, ...(tls && { tls }) });
    await using server = await startServer({ settings: mailSettings(smtp.url) });
    const project = await createProject(server.settings, "https://app.example");
    const email = "ada@example.com";
    const signedUp = await post(server, project, "signup", { email, password: PASSWORD });
    assert.equal(signedUp.status, 201, signedUp.text);
    const mail = await smtp.next(email);
    assert.equal(mail.isSecure, tls !== undefined);
    assert.equal(mail.user, user.name);
    assert.deepEqual(mail.parsed.from!.value, [{
      name: "Bücherei",
      address: "no-reply@corbel.example",
    }]);
    const otp = codeIn(mail);
    assert.match(mail.text, new RegExp(`https://app\\.example/auth/verify\\?\\S*#code=${otp}`));
    const verified = await post(server, project, "verify-email", { email, otp });
    assert.equal(verified.status, 200, verified.text);
    await post(server, project, "code/request", { email });
    const code = codeIn(await smtp.next(email));
    const signedIn = await post(server, project, "code/verify", { email, otp: code });
    assert.equal(signedIn.status, 200, signedIn.text);
    assert.equal(signedIn.body.data.user.emailVerified, true);
    await until("both are logged as sent", async () => {
      const states = (await logged(server, project)).map(({ state }: { state: string }) => state);
      return states.join() === "sent,sent";
    });
    assert.equal(smtp.mails.length, 2);
    const { stdout, stderr } = await server.stop();
    for (const secret of [otp, code, user.password, encodeURIComponent(user.password)]) {
      assert.ok(!(stdout + stderr).includes(secret), "no secret is in the log");
    }
  });
}

Deno.test("a process does not trust a remote mail server with an untrusted certificate", async () => {
  for (const tls of ["starttls", "implicit"] as const) {
    await using smtp = await startSmtpServer({ certificate, user, tls });
    // An address of this machine that is not recognized as local.
    const url = smtp.url.replace("127.0.0.1", "[::ffff:127.0.0.1]");
    await using server = await startServer({ settings: mailSettings(url) });
    const project = await createProject(server.settings);
    const email = "ada@example.com";
    await post(server, project, "signup", { email, password: PASSWORD });
    await until("the first delivery is attempted", async () => {
      const [mail] = await logged(server, project);
      return mail?.answer === "The mail server offers no TLS that can be trusted.";
    });
    const [{ state, tries }] = await logged(server, project);
    assert.deepEqual([state, tries], ["queued", 1]);
    assert.equal(smtp.offered.length, 0);
  }
});

const ROUNDS = RUNS > 100 ? 12 : 4;
const CONNECTIONS = 6;
const STREAM_MS = 300;

async function signUpUntilGone(server: Server, project: Project, round: number): Promise<string[]> {
  const answered: string[] = [];
  const connection = async (at: number) => {
    for (let n = 0;; n++) {
      const email = `u${round}-${at}-${n}@example.com`;
      const body = { email, password: PASSWORD };
      const headers = { "x-forwarded-for": `198.51.100.${at}` };
      try {
        const path = "/api/userAuth/signup";
        const answer = await send(server, { path, key: project.publishableKey, body, headers });
        assert.equal(answer.status, 201, answer.text);
        answered.push(email);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
    }
  };
  const all = Promise.all(Array.from({ length: CONNECTIONS }, (_, at) => connection(at)));
  await until("some users have signed up", () => answered.length > 0);
  await new Promise((resolve) => setTimeout(resolve, STREAM_MS));
  const { signal } = await server.kill();
  assert.equal(signal, "SIGKILL");
  await all;
  return answered;
}

const SMTP_BEHAVIORS: readonly Parameters<TestSmtpServer["behave"]>[0][] = [
  null,
  (step) => step === "connect" ? "silence" : null,
  (step) => step === "data" ? "silence" : null,
  (step) => step === "mail" ? "silence" : null,
];

Deno.test(`a restart after kill -9 sends the mail of every acknowledged sign-up, in ${ROUNDS} rounds`, async () => {
  await using store = await createTestStore();
  const arrivals = new Map<string, number>();
  await using smtp = await startSmtpServer({
    isRecorded: ({ to }) => {
      if (!arrivals.has(to)) arrivals.set(to, performance.now());
      return true;
    },
  });
  const settings = mailSettings(smtp.url);
  const project = await createProject({ ...store.settings, ...settings });
  const answered: string[] = [];
  const delays = new Delays();
  const missing = () => answered.filter((email) => !arrivals.has(email));
  let server = await startServer({ store, settings });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      smtp.behave(SMTP_BEHAVIORS[round % SMTP_BEHAVIORS.length]!);
      answered.push(...await signUpUntilGone(server, project, round));
      server.http.close();
      smtp.behave(null);
      const left = missing();
      server = await startServer({ store, settings, port: server.port });
      const ready = performance.now();
      await until("every mail arrives", () => missing().length === 0, TAKEN_OVER_MS);
      for (const email of left) delays.add(arrivals.get(email)! - ready);
    }
  } finally {
    await server[Symbol.asyncDispose]();
  }
  console.log(`${ROUNDS} kills, ${answered.length} mails; left at a kill: ${delays}`);
  const byAddress = Map.groupBy(smtp.mails, ({ to }) => to);
  for (const email of answered) {
    const mails = byAddress.get(email) ?? [];
    assert.ok(mails.length > 0, `${email} has no mail`);
  }
  for (const [to, mails] of byAddress) {
    const ids = new Set(mails.map(({ messageId }) => messageId));
    assert.equal(ids.size, 1, `${to} has mails with several ids`);
    assert.equal(new Set(mails.map(codeIn)).size, 1, "the mails have one code");
  }
  assert.ok(answered.length >= ROUNDS);
});
