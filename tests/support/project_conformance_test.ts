import assert from "node:assert/strict";
import { createTestCollection } from "../api/test_collection.ts";
import { sendConforming } from "./project_conformance.ts";
import { openTestApp } from "./test_app.ts";

Deno.test("conforming reports an answer that does not match the project's own document", async () => {
  await using app = await openTestApp();
  const fields = [{ key: "n", type: "Number", required: true }];
  const { project, asSecret } = await createTestCollection(app, { fields });
  const right = await asSecret({ body: { n: 1 } });
  const check = (answer: typeof right, path = "/api/data/posts") =>
    sendConforming(app.services, project.projectId, {
      kind: "secret",
      call: { path, method: "POST" },
      send: () => Promise.resolve(answer),
    });
  const withData = (members: object) => ({
    ...right,
    body: { ...right.body, data: { ...right.body.data, ...members } },
  });
  await check(right);
  await assert.rejects(check(withData({ n: "1" })), /postsCreate answered 201.*n must be number/);
  const { n: _n, ...without } = right.body.data;
  await assert.rejects(
    check({ ...right, body: { ...right.body, data: without } }),
    /must have required property 'n'/,
  );
  await assert.rejects(check({ ...right, status: 409 }), /which it does not declare/);
  await assert.rejects(check(right, "/api/data/others"), /not in the project's document/);
});
