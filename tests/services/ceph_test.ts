import assert from "node:assert/strict";
import { bareMachine } from "./bare_machine.ts";
import { cephFolder, findCephPrograms, findS3 } from "./ceph.ts";
import { s3 } from "./mod.ts";

const PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"];

Deno.test("findS3 prefers a given address to Ceph on the PATH, and that to the cache", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  assert.equal(await findS3(env), null);

  const root = await cephFolder(env);
  for (const name of PROGRAMS) await put(`${root}/usr/bin/${name}`);
  assert.deepEqual(await findS3(env), { kind: "unpacked", root });

  for (const name of PROGRAMS) await put(`${env.HOME}/second/${name}`);
  assert.deepEqual(await findS3(env), { kind: "installed", root: "" });

  const url = "http://id:secret@s3.example";
  const withAddress = { ...env, S3_TEST_URL: url };
  assert.deepEqual(await findS3(withAddress), { kind: "address", url });
  assert.deepEqual(await findCephPrograms(withAddress), { kind: "installed", root: "" });
});

Deno.test("findS3 needs all programs, and the cache may add missing ones", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  for (const name of PROGRAMS.slice(1)) await put(`${env.HOME}/first/${name}`);
  assert.equal(await findCephPrograms(env), null);
  const root = await cephFolder(env);
  await put(`${root}/usr/bin/${PROGRAMS[0]}`);
  assert.deepEqual(await findCephPrograms(env), { kind: "unpacked", root });
});

Deno.test("the location of S3 is reported without the secret of its address", async () => {
  await using machine = await bareMachine();
  const withAddress = { ...machine.env, S3_TEST_URL: "http://id:hunter2@s3.example" };
  assert.equal(await s3.find(withAddress), "S3_TEST_URL");
  assert.equal(await s3.find({ ...machine.env, S3_TEST_URL: "" }), null);
});
