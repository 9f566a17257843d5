import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { selfSigned } from "../support/tls.ts";
import { createProject } from "./project.ts";
import { admin, adminEnd, run } from "./server.ts";

const HOST = "localhost";
/** How TLS says that nobody vouches for a certificate. */
const NOT_VOUCHED_FOR = /DEPTH_ZERO_SELF_SIGNED_CERT/;

interface Stranger extends AsyncDisposable {
  readonly origin: string;
}

/** A host with a certificate that nobody vouches for. */
function serveStranger(): Stranger {
  const listener = Deno.listenTls({ hostname: HOST, port: 0, ...selfSigned(HOST) });
  const served = (async () => {
    for (;;) await greet(await listener.accept());
  })().catch(() => {}); // It is closed.
  return {
    origin: `https://${HOST}:${listener.addr.port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

async function greet(connection: Deno.TlsConn): Promise<void> {
  await connection.handshake().catch(() => {}); // The caller leaves.
  connection.close();
}

Deno.test("a project's bucket behind https is reached with the permissions of the tasks", async () => {
  await using store = await createTestStore();
  await using stranger = serveStranger();
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
  const { code, stdout } = await adminEnd(about("check"), settings);
  assert.equal(code, 1);
  const [reach] = JSON.parse(stdout).steps;
  assert.deepEqual([reach.step, reach.result], ["reach", "failed"]);
  assert.match(reach.message, NOT_VOUCHED_FOR);
});

Deno.test("the deployment's bucket behind https is reached with the permissions of the tasks", async () => {
  await using store = await createTestStore();
  await using stranger = serveStranger();
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
  assert.match(stdout + stderr, NOT_VOUCHED_FOR);
});
