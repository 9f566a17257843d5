import { Patience } from "../../patience.ts";
import { Outdated, StoreUnavailable } from "../errors.ts";
import type { Definition, DefinitionBuild, DefinitionChange, Id } from "../port.ts";
import { beginArrayTables } from "./array_schema.ts";
import type { ArrayTable, Pending } from "./array_tables.ts";
import {
  assertBuilding,
  claimBuild,
  keepWritten,
  noteAlive,
  noteIndex,
  noteProgress,
  pendingName,
  takeWritten,
  undoBuild,
  unlessBuilding,
} from "./builds.ts";
import type { Column } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { beginIndex, fillIndex, handOverIndex, removeTablesBeside } from "./index_build.ts";
import type { IndexSchema } from "./index_schema.ts";
import { beginTexts, emptyFormerTexts, fillTexts } from "./moved_texts.ts";
import { isMoved, textToRead } from "./next_text.ts";
import { inSeqSteps, type SeqStep, type Write } from "./seq_steps.ts";
import { tableName } from "./table_name.ts";
import { addedColumns, assertStands, missingIndexes, sizeOf, wantedText } from "./tables.ts";
import { WordsTable } from "./words_table.ts";

/** Of fewer, and no larger, records everything is made at once, in the definition's transaction. */
export const BUILD_ROWS_MIN = 2_000;
const BUILD_BYTES_MIN = 4_194_304;
const ALIVE_EVERY_MS = 1_000;
/** How long a change waits for another one of the same records: longer than a dead one is taken for alive. */
const WAIT_MS = 8_000;

/** Of records that were written meanwhile: the words of one take up to a millisecond. */
const WORDS_AT_ONCE = 16;

export interface BuildOptions {
  readonly rowsMin: number;
}

/** What is to be made, and with which columns. */
interface Plan {
  readonly columns: readonly Column[];
  readonly pending: Pending;
  readonly arrays: readonly ArrayTable[];
  readonly words: WordsTable | null;
  /** `seq` of the last record that there was at the beginning: later ones are filled by triggers. */
  readonly last: number;
  readonly total: number;
  /** How often all rows are gone through. */
  readonly rounds: number;
}

/** Null where nothing of it would take long. Throws `StoreUnavailable` while another one goes on. */
export async function beginBuild(
  write: Write,
  change: DefinitionChange,
  { rowsMin }: BuildOptions,
): Promise<SqliteBuild | null> {
  const token = crypto.randomUUID();
  for (const patience = new Patience();;) {
    const begun = await write((db) => begin(db, change, { token, rowsMin }));
    if (begun === "small") return null;
    if (begun !== "taken") return new SqliteBuild(write, change.after, { token, plan: begun });
    if (patience.isOver(WAIT_MS)) {
      throw new StoreUnavailable("Others are changing the definition");
    }
    await patience.pause();
  }
}

function begin(
  db: Connection,
  { before, after, isChecked }: DefinitionChange,
  { token, rowsMin }: { token: string; rowsMin: number },
): Plan | "small" | "taken" {
  assertStands(db, before);
  const { rows, bytes } = sizeOf(db, after);
  if (rows < rowsMin && bytes < BUILD_BYTES_MIN) return "small";
  const columns = addedColumns(db, after);
  if (columns === null) return "small"; // All of the table is made anew.
  const indexes = missingIndexes(db, after).length;
  const hasWork = columns.length > 0 || indexes > 0;
  const wanted = wantedText(after);
  if (!hasWork && !isChecked && wanted === wantedText(before)) return "small";
  if (!claimBuild(db, after, { token, wanted, total: rows })) return "taken";
  return { ...started(db, after, columns), total: rows, rounds: indexes + 1 };
}

function started(
  db: Connection,
  definition: Definition,
  columns: readonly Column[],
): Omit<Plan, "total" | "rounds"> {
  const table = tableName(definition);
  const pending: Pending = {
    paths: new Set(columns.map(({ path }) => path)),
    text: textToRead(definition),
  };
  for (const column of columns) {
    db.run(sql(`alter table ${table} add column ${pendingName(column)} ${column.type}`));
  }
  keepWritten(db, definition);
  if (isMoved(definition)) beginTexts(db, definition);
  keepFilled(db, definition, columns);
  const arrays = beginArrayTables(db, definition, pending);
  const words = WordsTable.wantedBy(db, definition);
  words?.begin(db);
  const [last] = db.get(sql(`select coalesce(max(seq), 0) from ${table}`))!;
  return { columns, pending, arrays, words, last: Number(last) };
}

/** Has columns that are being made filled in what is written. */
function keepFilled(db: Connection, definition: Definition, columns: readonly Column[]): void {
  if (columns.length === 0) return;
  const { name } = definition;
  // An insert is followed by the update that gives it its next text.
  const events = isMoved(definition) ? [] : ["insert"];
  for (const event of [...events, `update of ${textToRead(definition)}`]) {
    db.run(sql(
      `create trigger "build ${event.replaceAll('"', "")} columns of ${name}" after ${event} on ` +
        `${tableName(definition)} begin ${fillColumns(definition, columns, "= new.seq")}; end`,
    ));
  }
}

const fillColumns = (definition: Definition, columns: readonly Column[], seq: string): string =>
  `update ${tableName(definition)} set ` +
  columns.map((column) => `${pendingName(column)} = ${column.fromText(textToRead(definition))}`)
    .join(", ") +
  ` where seq ${seq}`;

/** Makes what a definition wants of the records that there are, a few at a time. */
export class SqliteBuild implements DefinitionBuild {
  readonly #writeAnyway: Write;
  /** While the build stands. */
  readonly #write: Write;
  readonly #definition: Definition;
  readonly #plan: Plan;
  /** While documents are looked at, nothing else tells that the process lives. */
  readonly #alive: ReturnType<typeof setInterval>;
  #rowsDone = 0;

  constructor(
    write: Write,
    definition: Definition,
    { token, plan }: { token: string; plan: Plan },
  ) {
    this.#writeAnyway = write;
    this.#write = (work) =>
      write((db) => {
        assertBuilding(db, definition, token);
        return work(db);
      });
    this.#definition = definition;
    this.#plan = plan;
    this.#alive = setInterval(() => {
      write((db) => noteAlive(db, definition, token)).catch(() => {});
    }, ALIVE_EVERY_MS);
    Deno.unrefTimer(this.#alive);
  }

  async run(): Promise<void> {
    await this.#fill();
    for (const index of await this.#write((db) => missingIndexes(db, this.#definition))) {
      await this.#makeIndex(this.#withPending(index));
    }
    await this.#write((db) =>
      noteProgress(db, this.#definition, { done: this.#plan.total, ready: true })
    );
  }

  async written(limit: number): Promise<Id[]> {
    const atOnce = this.#plan.words === null ? limit : WORDS_AT_ONCE;
    const told: Id[] = [];
    for (let isAll = false; !isAll && told.length < limit;) {
      const some = Math.min(atOnce, limit - told.length);
      const taken = await this.#write((db) => takeWritten(db, this.#definition, some));
      told.push(...taken.ids);
      ({ isAll } = taken);
    }
    return told;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#alive);
    const definition = this.#definition;
    try {
      await this.#undo();
      await removeTablesBeside(unlessBuilding(this.#writeAnyway, definition), definition);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error; // It is undone later.
    }
  }

  async #undo(): Promise<void> {
    try {
      await this.#write((db) => undoBuild(db, this.#definition));
    } catch (error) {
      if (error instanceof Outdated) return; // Taken over, or undone by somebody else.
      throw error;
    }
    if (isMoved(this.#definition)) await emptyFormerTexts(this.#writeAnyway, this.#definition);
  }

  async #fill(): Promise<void> {
    const { columns, arrays, words, last } = this.#plan;
    const definition = this.#definition;
    if (columns.length + arrays.length === 0 && words === null && !isMoved(definition)) return;
    await this.#inSteps(last, (db, step) => {
      if (isMoved(definition)) fillTexts(db, definition, step);
      else this.#fillFromTexts(db, step);
      words?.fill(db, step);
    });
  }

  async #makeIndex(index: IndexSchema): Promise<void> {
    const definition = this.#definition;
    const last = await this.#write((db) => beginIndex(db, definition, index));
    await this.#inSteps(last, (db, step) => fillIndex(db, definition, { index, step }));
    if (index.isUnique) return; // It binds whoever writes, so it is handed over with the definition.
    await this.#write((db) => {
      handOverIndex(db, definition, index);
      noteIndex(db, definition, index.name);
    });
  }

  /** Each time that all rows are gone through is a part of the whole. */
  async #inSteps(last: number, work: (db: Connection, step: SeqStep) => void): Promise<void> {
    const definition = this.#definition;
    await inSeqSteps(this.#write, { table: tableName(definition), last }, (db, step) => {
      work(db, step);
      this.#rowsDone += step.rows;
      noteProgress(db, definition, { done: Math.floor(this.#rowsDone / this.#plan.rounds) });
    });
  }

  #fillFromTexts(db: Connection, { from, to }: SeqStep): void {
    const { columns, pending, arrays } = this.#plan;
    const within = `between ${from} and ${to}`;
    if (columns.length > 0) db.run(sql(fillColumns(this.#definition, columns, within)));
    for (const table of arrays) db.run(sql(table.fill(within, pending)));
  }

  /** An index is made on columns by the names that they have until they are taken over. */
  #withPending({ keys, where, ...index }: IndexSchema): IndexSchema {
    const renamed = (text: string) =>
      this.#plan.columns.reduce(
        (text, column) => text.replaceAll(column.name, pendingName(column)),
        text,
      );
    return {
      ...index,
      keys: keys.map((key) => ({ ...key, value: renamed(key.value) })),
      where: where && renamed(where),
    };
  }
}
