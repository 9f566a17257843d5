/** Counts over the sources of the product. */

import { committedFiles, isTest, mustRead } from "../house/files.ts";

const PRODUCT = /^(?:lib|openapi|routes|client)\/|^(?:main|permissions|build_client)\.ts$/;
const DRIVERS = /^lib\/store\/(?:sqlite|mongo)\//;
/** The module that opens the engine of the settings, which has to distinguish the engines. */
const OPENING = "lib/services.ts";
const PORT = "lib/store/port.ts";

const CACHE = /\bnew WeakMap\b|\bcreate(?:Lru|ReadThrough)(?:<[^(]*>)?\(|\bnew LRUCache\b/g;
const OPTIONAL_METHOD = /^ {2}(\w+)\?\(/gm;
const NUMERIC_CONSTANT = /^(?:export )?const [A-Z][A-Z\d_]* = -?[\d(]/gm;
const ENGINE_NAME = /\b(?:database\.kind|engine\.name) [!=]==/g;

/** Returns the sources of the product by path, without tests and generated modules. */
async function productSources(): Promise<ReadonlyMap<string, string>> {
  const paths = (await committedFiles()).filter((path) =>
    PRODUCT.test(path) && /\.tsx?$/.test(path) && !isTest(path)
  );
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await mustRead(path)] as const)),
  );
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const linesOf = (text: string): number => text.trimEnd().split("\n").length;

const CACHES = /^(?!lib\/(?:lru|cache)\.ts)/;
const KINDS: Readonly<Record<string, string>> = {
  createLru: "LRU",
  createReadThrough: "read-through",
  "new LRUCache": "LRU",
  "new WeakMap": "by identity",
};

/** Returns the rows of the table of caches in docs/architecture.md: their modules and kinds. */
export async function cacheRows(): Promise<readonly string[]> {
  const sources = [...await productSources()].filter(([path]) => CACHES.test(path));
  return sources.map(([path, text]) => {
    const kinds = (text.match(CACHE) ?? []).map((call) => KINDS[call.replace(/[<(].*/, "")]!);
    return `| \`${path}\` | ${kinds.join(", ")} |`;
  }).filter((row) => !row.endsWith("|  |")).sort();
}

/** Returns the counts that need no request, by their names in `docs/shape.json`. */
export async function sourceCounts(): Promise<Readonly<Record<string, number>>> {
  const sources = [...await productSources()];
  const sum = (ofOne: (text: string, path: string) => number, where = /^/) =>
    sources.reduce(
      (total, [path, text]) => where.test(path) ? total + ofOne(text, path) : total,
      0,
    );
  const port = await mustRead(PORT);
  const optional = [...port.matchAll(OPTIONAL_METHOD)].map(([, name]) => name);
  const isThere = optional.length === 0
    ? null
    : new RegExp(`\\.(?:${optional.join("|")})(?:\\?\\.|!\\(| [!=]== undefined)`, "g");
  return {
    caches: sum((text) => countOf(text, CACHE), CACHES),
    optionalMethodsOfThePort: optional.length,
    questionsWhichEngineItIs: sum((text, path) =>
      DRIVERS.test(path) || path === OPENING
        ? 0
        : countOf(text, ENGINE_NAME) + (isThere === null ? 0 : countOf(text, isThere))
    ),
    numericConstantsOfDrivers: sum((text) => countOf(text, NUMERIC_CONSTANT), DRIVERS),
    linesOfTheStore: sum(linesOf, /^lib\/store\//),
    linesOfTheProduct: sum(linesOf),
  };
}
