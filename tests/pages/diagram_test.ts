import assert from "node:assert/strict";
import { layOut } from "@/routes/dashboard/diagram/layout.ts";
import { assertHarmless, type PageAnswer } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

const linksIn = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("svg.diagram a")].map((one) => one.getAttribute("href"));
const linesIn = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("svg.diagram path.line title")].map((one) => one.textContent);

Deno.test("each collection is a box with a link to it, and lines to the ones that it refers to", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  assert.match((await dashboard.get(`${home}/diagram`)).words, /no collection here yet/);
  await project.collection({ name: "tags", fields: [{ key: "name", type: "String" }] });
  await project.collection({
    name: "posts",
    fields: [
      { key: "author", type: "Ref", ref: "users" },
      { key: "main", type: "Ref", ref: "tags" },
      { key: "more", type: "Array", items: { type: "Ref", ref: "tags" } },
      { key: "parent", type: "Ref", ref: "posts" },
    ],
  });
  const page = await dashboard.get(`${home}/diagram`);
  assertHarmless(page);
  assert.deepEqual(linksIn(page).toSorted(), [
    `${home}/collections/posts`,
    `${home}/collections/tags`,
    `${home}/users`,
  ]);
  const lines = linesIn(page);
  assert.equal(lines.length, 2, "a line to each other collection");
  assert.ok(lines.some((text) => /^posts → users: author$/.test(text)));
  assert.ok(lines.some((text) => /^posts → tags: main, more/.test(text)));
  const rows = [...page.document.querySelectorAll("details tbody tr")].map((row) =>
    [...row.querySelectorAll("th, td")].map((cell) => cell.textContent.trim())
  );
  assert.ok(
    rows.some(([name, field, target]) => `${name} ${field} ${target}` === "posts parent posts"),
  );
  assert.ok(rows.some(([name, text]) => name === "tags" && text === "refers to none"));
  assert.equal((await dashboard.get(`${home}/diagram`)).text, page.text, "always the same");
});

Deno.test("the page of all collections links to the diagram", async () => {
  await using app = await openTestApp();
  const { home, dashboard } = await openProjectPages(app);
  const page = await dashboard.get(`${home}/collections`);
  assert.ok(page.document.querySelector(`main a[href="${home}/diagram"]`));
});

const boxes = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `c${i}`, width: 120, height: 40 + i % 5 * 20 }));

Deno.test("boxes do not overlap and are inside the diagram, whatever the references", () => {
  for (const [count, lines] of [[1, 0], [5, 3], [30, 40], [200, 400]] as const) {
    const all = boxes(count);
    const drawn = Array.from({ length: lines }, (_, k) => ({
      from: `c${k * 7919 % count}`,
      to: `c${k * k * 31 % count}`,
    }));
    const unique = [...new Map(drawn.map((line) => [`${line.from} ${line.to}`, line])).values()];
    const { width, height, corners } = layOut(all, unique);
    const places = all.map((box) => ({ ...box, ...corners.get(box.name)! }));
    for (const [i, a] of places.entries()) {
      assert.ok(a.x >= 0 && a.y >= 0 && a.x + a.width <= width && a.y + a.height <= height, a.name);
      for (const b of places.slice(i + 1)) {
        const isApart = a.x + a.width <= b.x || b.x + b.width <= a.x ||
          a.y + a.height <= b.y || b.y + b.height <= a.y;
        assert.ok(isApart, `${a.name} and ${b.name} of ${count}`);
      }
    }
  }
});

Deno.test("a line ends at the edges of its two boxes", () => {
  const all = boxes(3);
  const { corners, lines } = layOut(all, [{ from: "c0", to: "c1" }, { from: "c1", to: "c0" }]);
  for (const { line, points } of lines) {
    for (const [name, point] of [[line.from, points[0]!], [line.to, points.at(-1)!]] as const) {
      const box = all.find((one) => one.name === name)!;
      const { x, y } = corners.get(name)!;
      assert.ok(point.x >= x - 1 && point.x <= x + box.width + 1, name);
      assert.ok(point.y >= y - 1 && point.y <= y + box.height + 1, name);
    }
  }
});
