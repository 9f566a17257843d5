import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { openProjectPages } from "./project_pages.ts";

Deno.test({
  name: "pages of a large collection estimate the duration of a change",
  ignore: database !== "sqlite",
  fn: async () => {
    await using app = await openTestApp();
    const { project, home, dashboard } = await openProjectPages(app);
    await project.collection({ name: "posts", rls: { enabled: false } });
    await project.collection({ name: "others", rls: { enabled: false } });
    const { projectId } = project;
    const [kind] = (await app.services.engine.kinds(projectId))
      .filter((one) => one.startsWith("posts."));
    const notes = async (collection: string) =>
      await Promise.all(["fields", "access"].map(async (tab) => {
        const { document } = await dashboard.get(`${home}/collections/${collection}/${tab}`);
        return document.querySelector(".note")?.textContent.replaceAll(/\s+/g, " ").trim() ?? null;
      }));
    assert.deepEqual(await notes("posts"), [null, null]);
    using db = new DatabaseSync(`${app.store.folder}/projects/${projectId}.db`);
    const count = (documents: number) =>
      db.prepare("update counts set live = ? where name = ?").run(documents, kind!);
    count(100_000);
    assert.deepEqual(await notes("posts"), [null, null]);
    count(1_230_000);
    const note = "With 1,230,000 documents, a change of fields or indexes may take about 13 " +
      "seconds. Reads go on in the meantime; writes to this project wait until it is done.";
    assert.deepEqual(await notes("posts"), [note, note]);
    assert.deepEqual(await notes("others"), [null, null]);
  },
});
