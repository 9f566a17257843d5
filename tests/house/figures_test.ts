import assert from "node:assert/strict";
import { atMostOf, QUESTIONS } from "@/bench/questions.ts";
import { type MeasuredRow, reportJson, reportTable } from "@/bench/report.ts";
import { committedFiles, mustRead } from "./files.ts";

const figure = (
  name: string,
  value: number | null,
  row: Partial<MeasuredRow> = {},
): MeasuredRow => ({
  name,
  description: `What ${name} is`,
  ...row,
  value,
});

const RUN = [
  figure("fast", 0.5, { atLeast: 0.5 }),
  figure("slow", 1.3, { atMost: 1.2 }),
  figure("only_told", 7),
  figure("failing", null, { atLeast: 2 }),
];

Deno.test("a run has figures by name with targets and results, and a failed row has none", () => {
  assert.deepEqual(JSON.parse(reportJson(RUN)), {
    fast: 0.5,
    slow: 1.3,
    only_told: 7,
    failing: null,
    rows: {
      fast: { value: 0.5, target: 0.5, atLeast: true, held: true },
      slow: { value: 1.3, target: 1.2, atLeast: false, held: false },
      only_told: { value: 7, target: null, held: null },
      failing: { value: null, target: 2, atLeast: true, held: false },
    },
  });
});

Deno.test("the table of a run contains its figures", () => {
  assert.deepEqual(reportTable(RUN).split("\n").slice(2), [
    "| `fast` | What fast is | 0.5 | ≥ 0.5 | yes |",
    "| `slow` | What slow is | 1.3 | ≤ 1.2 | **no** |",
    "| `only_told` | What only_told is | 7 |  |  |",
    "| `failing` | What failing is | failed | ≥ 2 | **no** |",
  ]);
});

const ROW =
  /name: "(\w+)",\s+description:\s+"[^"]*",\s+(?:(atLeast|atMost): ([\d.]+),\s+)?(?:async )?measure/g;

/** Reads the names of rows from the sources: loading them needs a browser and a database. */
async function declaredRows(): Promise<string[]> {
  const paths = (await committedFiles()).filter((path) => /^bench\/\w+\.ts$/.test(path));
  const texts = await Promise.all(paths.map(mustRead));
  const rows = texts.flatMap((text) =>
    [...text.matchAll(ROW)].map(([, name, bound, target]) =>
      bound === undefined ? name! : `${name} ${bound === "atLeast" ? "≥" : "≤"} ${target}`
    )
  );
  return [...rows, ...QUESTIONS.map((question) => `${question.name} ≤ ${atMostOf(question)}`)];
}

Deno.test("docs/performance.md has the figures of the declared rows, with their targets", async () => {
  const document = await mustRead("docs/performance.md");
  const figures = document.split("## Figures")[1]!.split("\n## ")[0]!;
  const listed = [...figures.matchAll(/^\| `(\w+)` +\| ([^|]*) \|/gm)]
    .map(([, name, target]) => `${name} ${target!.trim()}`.trim());
  const declared = await declaredRows();
  assert.ok(declared.length >= 30);
  assert.deepEqual(listed.toSorted(), declared.toSorted());
});
