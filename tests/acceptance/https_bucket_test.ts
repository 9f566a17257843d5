import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { createCertificate } from "../support/tls.ts";
import { createProject } from "./project.ts";
import { admin, run, runAdmin } from "./server.ts";

const HOST = "localhost";
const UNTRUSTED_CERTIFICATE = /DEPTH_ZERO_SELF_SIGNED_CERT/;

interface UntrustedHost extends AsyncDisposable {
  readonly origin: string;
}

function serveUntrustedHost(): UntrustedHost {
  const listener = Deno.listenTls({ hostname: HOST, port: 0, ...createCertificate(HOST) });
  const served = (async () => {
    for (;;) await handshakeAndClose(await listener.accept());
  })().catch(() => {}); // The listener is closed.
  return {
    origin: `https://${HOST}:${listener.addr.port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

async function handshakeAndClose(connection: Deno.TlsConn): Promise<void> {
  await connection.handshake().catch(() => {}); // The client disconnects.
  connection.close();
}

Deno.test("the tasks' permissions allow a project's bucket over HTTPS", async () => {
  await using store = await createTestStore();
  await using stranger = serveUntrustedHost();
  const settings = { ...store.settings, ALLOW_PRIVATE_ENDPOINTS: "true" };
  const { projectId } = await createProject(settings, "https://app.example.com");
  const about = (action: string) => ["storage", action, "--project", projectId];
  const bucket = {
    endpoint: stranger.origin,
    region: "eu-north-1",
    bucket: "pictures",
    pathStyle: true,
    publicUrl: "https://files.example.com",
    accessKeyId: "AKIAEXAMPLE",
    secretAccessKey: "nobody's",
  };
  await admin([...about("set"), "--file", "-"], settings, JSON.stringify(bucket));
  const { code, stdout } = await runAdmin(about("check"), settings);
  assert.equal(code, 1);
  const [reach] = JSON.parse(stdout).steps;
  assert.deepEqual([reach.step, reach.result], ["reach", "failed"]);
  assert.match(reach.message, UNTRUSTED_CERTIFICATE);
});

Deno.test("the tasks' permissions allow the deployment's bucket over HTTPS", async () => {
  await using store = await createTestStore();
  await using stranger = serveUntrustedHost();
  const running = await run("start", [], {
    settings: {
      ...store.settings,
      STORAGE_URL: `s3://pictures?endpoint=${stranger.origin}&region=eu-north-1`,
      AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "nobody's",
    },
  });
  const { code, stdout, stderr } = await running.ended;
  assert.equal(code, 1);
  assert.match(stdout + stderr, UNTRUSTED_CERTIFICATE);
});
