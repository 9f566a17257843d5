import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { openProjectPages } from "./project_pages.ts";

Deno.test({
  name: "while a definition is built its pages and the list of collections tell how far it is",
  ignore: database !== "sqlite",
  fn: async () => {
    await using app = await openTestApp();
    const { project, home, dashboard } = await openProjectPages(app);
    await project.collection({ name: "posts", rls: { enabled: false } });
    await project.collection({ name: "others", rls: { enabled: false } });
    const { engine } = app.services;
    const { projectId } = project;
    const [kind] = (await engine.kinds(projectId)).filter((one) => one.startsWith("posts."));
    const file = `${app.store.folder}/projects/${projectId}.db`;
    const note = async (collection: string, tab: string) => {
      const { document } = await dashboard.get(`${home}/collections/${collection}/${tab}`);
      return document.querySelector(".note")?.textContent.replaceAll(/\s+/g, " ").trim() ?? null;
    };
    assert.deepEqual([await note("posts", "fields"), await note("posts", "access")], [null, null]);
    using db = new DatabaseSync(file);
    // As another process notes it that is at work.
    db.exec(
      "create table builds(name text primary key, token text, wanted text, at integer, " +
        "done integer, total integer, ready integer, indexes text) strict, without rowid",
    );
    const insert = "insert into builds values(?, 'x', '', ?, 41000, 100000, 0, '[]')";
    db.prepare(insert).run(kind!, Date.now());
    const told = "The definition is being changed: 41,000 of 100,000 documents are done.";
    assert.deepEqual([await note("posts", "fields"), await note("posts", "access")], [told, told]);
    assert.equal(await note("others", "fields"), null);
    const owner = await project.owner();
    const path = `/api/projects/${projectId}/collections`;
    const { body } = await owner.send({ path });
    assert.deepEqual(body.data.building, [{ name: "posts", done: 41_000, total: 100_000 }]);
    db.exec("update builds set at = at - 60000");
    assert.equal(await note("posts", "fields"), null, "of a process that gives no sign nothing");
  },
});
