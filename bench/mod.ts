/** Measures Corbel against bare programs, side by side in one run, and prints the ratios. */
import { keepAwake } from "./awake.ts";
import type { Row } from "./row.ts";
import { ROWS } from "./rows.ts";
import { seed } from "./seed.ts";

const SIZES = [2_000, 10_000, 200_000];

interface Measured extends Row {
  readonly value: number;
}

const only = Deno.args.filter((word) => !word.startsWith("--"));
const folder = await Deno.makeTempDir({ prefix: "corbel-bench-" });
try {
  progress("Seeding …");
  const seeded = await seed({ DATABASE_URL: `sqlite:${folder}/data` }, SIZES);
  await using _awake = keepAwake();
  const measured: Measured[] = [];
  for (const row of ROWS) {
    if (only.length > 0 && !only.includes(row.name)) continue;
    progress(`${row.name} …`);
    measured.push({ ...row, value: await row.measure({ folder: `${folder}/data`, seeded }) });
  }
  if (Deno.args.includes("--json")) {
    console.log(
      JSON.stringify(Object.fromEntries(measured.map(({ name, value }) => [name, value]))),
    );
  } else console.log(table(measured));
} finally {
  await Deno.remove(folder, { recursive: true });
}

function progress(text: string): void {
  console.error(text);
}

function table(rows: readonly Measured[]): string {
  const lines = rows.map((row) =>
    `| \`${row.name}\` | ${row.what} | ${row.value} | ${targetOf(row)} |`
  );
  return ["| Row | What | Measured | Target | Held |", "| --- | --- | --- | --- | --- |", ...lines]
    .join("\n");
}

function targetOf({ atLeast, value, target }: Measured): string {
  if (target === null) return "| ";
  const held = atLeast ? value >= target : value <= target;
  return `${atLeast ? "≥" : "≤"} ${target} | ${held ? "yes" : "**no**"}`;
}
