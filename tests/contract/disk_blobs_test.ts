import { DiskBlobs } from "@/lib/files/disk/blobs.ts";
import { projectIdOf } from "@/lib/files/paths.ts";
import { INTERNAL_TARGET } from "@/lib/files/stores.ts";
import { findUpload, type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { type ProjectRecord, PROJECTS } from "@/lib/projects/records.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { openTestServices } from "../support/test_services.ts";
import { blobsContract, type BlobStore } from "./blobs.ts";

blobsContract("disk", { open });

/** Opens a store with its own folder and a server for its signed addresses. */
async function open(): Promise<BlobStore & AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const { services, folder } = opening.use(await openTestServices());
  const app = createApp(services);
  const server = opening.use(
    Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      app.fetch,
    ),
  );
  const http = opening.adopt(Deno.createHttpClient({}), (client) => client.close());
  const blobsIn = (place: string) =>
    new DiskBlobs({
      folder: place,
      filesUrl: "http://files.test",
      addressOf: () => "",
      signatureOf: () => "",
    });
  const projects = expectedProjects(services);
  const opened = opening.move();
  return {
    blobs: services.blobStores.internal,
    now: () => services.clock.now(),
    async expect({ path, bytes, contentType }) {
      const projectId = projectIdOf(path)!;
      await projects.expect(projectId);
      if (await findUpload(services, projectId, path) !== null) return;
      const now = services.clock.now();
      await services.engine.records<UploadRecord>(projectId, UPLOADS).insert({
        _id: services.newId(),
        path,
        filename: "a file",
        contentType,
        bytes,
        state: "requested",
        claim: null,
        claimedUntil: null,
        target: INTERNAL_TARGET,
        expiresAt: new Date(now + 600_000).toISOString(),
        createdAt: new Date(now).toISOString(),
      });
    },
    async put(address, { body, contentType }) {
      const { pathname } = new URL(address);
      const answer = await fetch(`http://127.0.0.1:${server.addr.port}${pathname}`, {
        method: "PUT",
        headers: { "content-type": contentType },
        body,
        client: http,
      });
      await answer.body?.cancel();
      return answer.status;
    },
    again: () => Promise.resolve(blobsIn(`${folder}/files`)),
    async broken() {
      const file = `${folder}/no-folder`;
      await Deno.writeTextFile(file, "");
      return blobsIn(file);
    },
    secrets: ["a key ring for tests and no more", "test:"],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Stores projects in use, because uploads are only accepted for those. */
function expectedProjects({ engine }: Pick<Services, "engine">) {
  const projects = new Map<Id, Promise<unknown>>();
  const project = {
    name: "Contract",
    siteUrl: null,
    allowedOrigins: [],
    ownerId: null,
    sealedAiKey: null,
    createdAt: "2026-01-31T12:00:00.000Z",
    deletedAt: null,
  };
  return {
    async expect(_id: Id) {
      const records = engine.records<ProjectRecord>("control", PROJECTS);
      if (!projects.has(_id)) projects.set(_id, records.insert({ _id, ...project }));
      await projects.get(_id);
    },
  };
}
