import assert from "node:assert/strict";
import { bareMachine } from "./bare_machine.ts";
import { cephFolder, findCephPrograms, findS3 } from "./ceph.ts";
import { s3 } from "./mod.ts";

const PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"];

Deno.test("an address that is given goes before Ceph on the PATH, and that before the cache", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  assert.equal(await findS3(env), null);

  const root = await cephFolder(env);
  for (const name of PROGRAMS) await put(`${root}/usr/bin/${name}`);
  assert.deepEqual(await findS3(env), { kind: "unpacked", root });

  for (const name of PROGRAMS) await put(`${env.HOME}/second/${name}`);
  assert.deepEqual(await findS3(env), { kind: "installed", root: "" });

  const url = "http://id:secret@s3.example";
  const given = { ...env, S3_TEST_URL: url };
  assert.deepEqual(await findS3(given), { kind: "address", url });
  assert.deepEqual(await findCephPrograms(given), { kind: "installed", root: "" });
});

Deno.test("one program that is missing makes the others useless; the cache may add it", async () => {
  await using machine = await bareMachine();
  const { env, put } = machine;
  for (const name of PROGRAMS.slice(1)) await put(`${env.HOME}/first/${name}`);
  assert.equal(await findCephPrograms(env), null);
  const root = await cephFolder(env);
  await put(`${root}/usr/bin/${PROGRAMS[0]}`);
  assert.deepEqual(await findCephPrograms(env), { kind: "unpacked", root });
});

Deno.test("where it is is said without the secret of an address", async () => {
  await using machine = await bareMachine();
  const given = { ...machine.env, S3_TEST_URL: "http://id:hunter2@s3.example" };
  assert.equal(await s3.find(given), "S3_TEST_URL");
  assert.equal(await s3.find({ ...machine.env, S3_TEST_URL: "" }), null);
});
