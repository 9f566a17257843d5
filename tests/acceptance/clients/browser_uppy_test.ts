import assert from "node:assert/strict";
import { corsRules } from "@/lib/files/bucket_rules.ts";
import { browserTest, openBrowser } from "../../support/browser.ts";
import { setCors } from "../../support/bucket_rules.ts";
import { createTestBucket, hasS3, settingsOf } from "../../support/s3.ts";
import { changeProject, createProject, createUser, type Project, send } from "../project.ts";
import { admin, type Server, startServer } from "../server.ts";

const MiB = 1_048_576;
/** More bytes than one part of an upload to a bucket. */
const BYTES = 6 * MiB + 17;

/** Exact versions of the plugins: the current one, and version 4, which many pages still use. */
const PLUGINS = {
  current: { core: "6.3.1", tus: "6.0.0", "aws-s3": "6.3.1" },
  four: { core: "4.5.3", tus: "4.3.2", "aws-s3": "4.3.2" },
} as const;

type Version = keyof typeof PLUGINS;

const VERSIONS = Object.keys(PLUGINS) as Version[];

/** Bundles Uppy as an application does. Each version has a folder, because they share no core. */
async function bundleUppy(version: Version): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "corbel-uppy-" });
  const { core, tus, "aws-s3": awsS3 } = PLUGINS[version];
  const entry = [
    `export { default as Uppy } from "npm:@uppy/core@${core}";`,
    `export { default as Tus } from "npm:@uppy/tus@${tus}";`,
    `export { default as AwsS3 } from "npm:@uppy/aws-s3@${awsS3}";`,
  ];
  await Deno.writeTextFile(`${folder}/deno.json`, "{}");
  await Deno.writeTextFile(`${folder}/app.ts`, entry.join("\n"));
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--no-lock", "--platform", "browser", "app.ts"],
    cwd: folder,
    stdin: "null",
  }).output();
  await Deno.remove(folder, { recursive: true });
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(text(stderr));
  return text(stdout);
}

async function serveApplication() {
  const scripts = new Map<string, string>();
  for (const version of VERSIONS) scripts.set(`/${version}.js`, await bundleUppy(version));
  return Deno.serve({ hostname: "localhost", port: 0, onListen() {} }, ({ url }) => {
    const { pathname } = new URL(url);
    const script = scripts.get(pathname);
    const [type, body] = script === undefined
      ? ["text/html", '<!doctype html><link rel="icon" href="data:,"><title>App</title>']
      : ["text/javascript", script];
    return new Response(body, { headers: { "content-type": type } });
  });
}

/** Page script for each plugin, from the upload request to the confirmation. */
const UPLOAD = `
  const ask = async (path, body) => {
    const response = await fetch(server + "/api/storage/upload-" + path, {
      method: "POST",
      headers: {
        "x-api-key": key, authorization: "Bearer " + token, "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!answer.success) throw new Error(answer.message);
    return answer.data;
  };
  const { Uppy, Tus, AwsS3 } = await import("/" + version + ".js");
  const uppy = new Uppy();
  const signed = (file) => ({
    method: "PUT", url: file.meta.signedUrl, headers: { "content-type": file.type },
  });
  if (plugin === "tus") {
    // Each upload gets a new address, even if the file was uploaded before.
    uppy.use(Tus, { chunkSize: 2_500_000, storeFingerprintForResuming: false });
  } else {
    uppy.use(AwsS3, {
      shouldUseMultipart: false,
      getUploadParameters: signed, // Option of version 4.
      signRequest: () => signed(uppy.getFiles()[0]), // Option of the current version.
    });
  }
  uppy.addPreProcessor(async (ids) => {
    for (const id of ids) {
      const file = uppy.getFile(id);
      const described = { filename: file.name, contentType: file.type, size: file.size };
      const { resumableUrl, signedUrl, filePath } = await ask("request", described);
      uppy.setFileState(id, {
        tus: { uploadUrl: resumableUrl },
        meta: { ...file.meta, signedUrl, filePath },
      });
    }
  });
  let url;
  uppy.addPostProcessor(async (ids) => {
    for (const { size, meta, error } of ids.map((id) => uppy.getFile(id))) {
      if (error) continue;
      ({ url } = await ask("confirm", { filePath: meta.filePath, size }));
    }
  });
  const bytes = new Uint8Array(size).map((_, at) => at % 251);
  uppy.addFile({ name: "talk.bin", type: "application/octet-stream", data: new Blob([bytes]) });
  const { successful, failed } = await uppy.upload();
  return { successful: successful.length, failed: failed.map(({ error }) => error), url };
`;

interface Uploaded {
  readonly successful: number;
  readonly failed: readonly string[];
  readonly url: string;
}

async function assertUploads(
  server: Server,
  project: Project,
  site: Deno.HttpServer<Deno.NetAddr>,
): Promise<void> {
  const files = {
    userUploads: "signed-in",
    userFileBytesMax: 10 * MiB,
    userTypes: ["*/*"],
  } as const;
  await changeProject(server.settings, project, { files });
  const { token } = await createUser(server.settings, project);
  await using browser = await openBrowser();
  const page = await browser.page();
  await page.goto(`http://localhost:${site.addr.port}/`);
  for (const version of VERSIONS) {
    for (const plugin of ["tus", "aws-s3"]) {
      const patches: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "PATCH") patches.push(request.headers()["upload-offset"]!);
      });
      const given = {
        server: server.url,
        key: project.publishableKey,
        token,
        version,
        plugin,
        size: BYTES,
      };
      const names = Object.keys(given);
      const { successful, failed, url } = await page.evaluate<Uploaded>(
        `(async ({ ${names} }) => { ${UPLOAD} })(${JSON.stringify(given)})`,
      );
      assert.deepEqual([successful, failed], [1, []], `${plugin} of ${version}`);
      assert.equal(patches.length, plugin === "tus" ? 3 : 0, patches.join());
      const served = await (await fetch(url, { client: server.http })).bytes();
      assert.equal(served.length, BYTES);
      assert.ok(served.every((byte, at) => byte === at % 251), `${plugin} of ${version}`);
      page.removeAllListeners("request");
      const { body } = await send(server, { path: "/api/storage/files", key: project.secretKey });
      const [{ path }] = body.data.items;
      const key = project.secretKey;
      const gone = { method: "DELETE", path: "/api/storage/file", key, body: { path } };
      assert.equal((await send(server, gone)).status, 200);
    }
  }
}

browserTest("Uppy of another origin uploads by tus and by PUT to the server", async () => {
  await using server = await startServer();
  await using site = await serveApplication();
  const project = await createProject(server.settings, `http://localhost:${site.addr.port}`);
  await assertUploads(server, project, site);
});

if (hasS3()) {
  browserTest(
    "Uppy of another origin uploads by tus and by PUT to a project's bucket",
    async () => {
      await using bucket = await createTestBucket();
      await using server = await startServer({ settings: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
      await using site = await serveApplication();
      const origin = `http://localhost:${site.addr.port}`;
      const project = await createProject(server.settings, origin);
      const { projectId } = project;
      const given = JSON.stringify(settingsOf(bucket));
      await admin(
        ["storage", "set", "--project", projectId, "--file", "-"],
        server.settings,
        given,
      );
      await setCors(bucket, corsRules([origin]));
      await assertUploads(server, project, site);
    },
  );
}
