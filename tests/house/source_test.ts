import assert from "node:assert/strict";
import { FIELD_TYPES } from "@/lib/store/field_types.ts";
import { SETTINGS } from "@/lib/runtime/settings.ts";
import { committedFiles, importsOf, isTest, mustRead, read, resolveModule } from "./files.ts";

const FILES = await committedFiles();
const SOURCES = FILES.filter((path) => /\.tsx?$/.test(path));
const sources = new Map<string, string>();
for (const path of SOURCES) sources.set(path, await mustRead(path));

/** Layers that each layer may import, including itself. */
const LAYERS: Record<string, readonly string[]> = {
  lib: ["lib"],
  openapi: ["openapi", "lib"],
  routes: ["routes", "openapi", "lib"],
  "main.ts": ["routes", "openapi", "lib"],
};

const layerOf = (path: string): string => path.split("/")[0]!;
const isLocal = (target: string): boolean => FILES.includes(target);

/** Sources of the product, to which the layers apply. */
const PRODUCT = [...sources].filter(([path]) => layerOf(path) in LAYERS && !isTest(path));

const DRIVERS = [
  "lib/store/sqlite/",
  "lib/store/mongo/",
  "lib/files/disk/",
  "lib/files/s3/",
  "lib/ai/groq/",
];
const inDriver = (path: string): boolean => DRIVERS.some((driver) => path.startsWith(driver));

const BINARY = /\.(?:br|png|jpe?g|ico|woff2?)$/;

const lines = (text: string): number => text.trimEnd().split("\n").length;

Deno.test("the parser of imports recognizes every form", () => {
  const text = [
    'import a from "@/lib/a.ts";',
    'import { b, type B } from "./b.ts";',
    'import type { C } from "../c.ts";',
    'import * as d from "hono";',
    "import {",
    "  e,",
    '} from "../../e.ts";',
    'import "./f.ts";',
    'export { g } from "./g.ts";',
    'export * from "./h.ts";',
    'const i = await import("./i.ts");',
    'export type { J } from "./j.ts";',
    'const k = 1; // from "./k.ts"',
  ].join("\n");
  const found = importsOf("lib/x/y.ts", text);
  assert.deepEqual(found.map(({ target }) => target).toSorted(), [
    "e.ts",
    "hono",
    "lib/a.ts",
    "lib/c.ts",
    "lib/x/b.ts",
    "lib/x/f.ts",
    "lib/x/g.ts",
    "lib/x/h.ts",
    "lib/x/i.ts",
    "lib/x/j.ts",
  ]);
  const types = found.filter(({ typeOnly }) => typeOnly).map(({ target }) => target);
  assert.deepEqual(types.toSorted(), ["lib/c.ts", "lib/x/j.ts"]);
});

Deno.test("imports go down the layers: lib <- openapi <- routes <- main", () => {
  assert.ok(PRODUCT.length > 50);
  const wrong = PRODUCT.flatMap(([path, text]) =>
    importsOf(path, text)
      .filter(({ target }) => isLocal(target) && !LAYERS[layerOf(path)]!.includes(layerOf(target)))
      .map(({ target }) => `${path} imports ${target}`)
  );
  assert.deepEqual(wrong, []);
});

/** Folders of lib in order. Each may import the folders before it and the files directly in lib. */
const LIB_FOLDERS = [
  "problems",
  "store",
  "crypto",
  "paging",
  "text",
  "http",
  "runtime",
  "projects",
  "jobs",
  "credentials",
  "mail",
  "auth",
  "accounts",
  "files",
  "documents",
  "users",
  "social",
  "ai",
  "events",
  "operations",
];

Deno.test("the folders of lib form a line: no two import each other", () => {
  const folderOf = (path: string): string | null => /^lib\/(\w+)\//.exec(path)?.[1] ?? null;
  const found = new Set(PRODUCT.flatMap(([path]) => folderOf(path) ?? []));
  assert.deepEqual([...found].toSorted(), LIB_FOLDERS.toSorted());
  const wrong = PRODUCT.flatMap(([path, text]) => {
    const own = folderOf(path);
    if (own === null) return [];
    const before = LIB_FOLDERS.slice(0, LIB_FOLDERS.indexOf(own) + 1);
    return importsOf(path, text).map(({ target }) => target)
      .filter((target) => !before.includes(folderOf(target) ?? own))
      .map((target) => `${path} imports ${target}`);
  });
  assert.deepEqual(wrong, []);
});

Deno.test("no files of the product import each other in a circle, including types", () => {
  const imports = new Map(
    PRODUCT.map(([path, text]) => [path, importsOf(path, text).map(({ target }) => target)]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) {
      circles.push([...above.slice(above.indexOf(path)), path].join(" <- "));
    }
    if (done.has(path) || above.includes(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  assert.deepEqual(circles, []);
});

Deno.test("the files directly in lib depend only on the store's types", () => {
  const wrong = PRODUCT
    .filter(([path]) => /^lib\/\w+\.ts$/.test(path) && path !== "lib/services.ts")
    .flatMap(([path, text]) =>
      importsOf(path, text)
        .filter(({ target }) => /^lib\/\w+\//.test(target))
        .filter(({ target, typeOnly }) =>
          !target.startsWith("lib/problems/") && !(typeOnly && target === "lib/store/values.ts")
        )
        .map(({ target }) => `${path} imports ${target}`)
    );
  assert.deepEqual(wrong, []);
});

Deno.test("no module of a worker has a top-level await: its first messages would be lost", () => {
  const awaits = /^(?:(?:export )?(?:const|let) .*= |\} = )?await /m;
  assert.match("const { a } = await b();", awaits);
  const found = PRODUCT.filter(([path, text]) =>
    path !== "main.ts" && path !== "openapi/reference/update.ts" && awaits.test(text)
  );
  assert.deepEqual(found.map(([path]) => path), []);
});

Deno.test("in lib only lib/http imports hono", () => {
  const wrong = PRODUCT.filter(([path]) => path.startsWith("lib/") && !path.startsWith("lib/http/"))
    .filter(([path, text]) =>
      importsOf(path, text).some(({ target }) => /^(?:npm:)?@?hono\b/.test(target))
    );
  assert.deepEqual(wrong.map(([path]) => path), []);
});

Deno.test("only lib/services.ts and tests/contract name a driver, and config.ts its types", () => {
  const wrong = [...sources].flatMap(([path, text]) => {
    if (inDriver(path) || path.startsWith("tests/contract/")) return [];
    return importsOf(path, text)
      .filter(({ target }) => inDriver(target))
      .filter(({ typeOnly }) =>
        path !== "lib/services.ts" && !(path === "lib/runtime/config.ts" && typeOnly)
      )
      .map(({ target }) => `${path} imports ${target}`);
  });
  assert.deepEqual(wrong, []);
});

Deno.test("the drivers of MongoDB and of buckets are only loaded when they are used", () => {
  const heavy =
    /^import (?!type\b)[^;]*from "[^"]*(?:\/store\/mongo\/|\/files\/s3\/|@aws-sdk|mongodb)/m;
  const own = ["lib/store/mongo/", "lib/files/s3/"];
  const wrong = PRODUCT.filter(([path]) => !own.some((room) => path.startsWith(room)))
    .filter(([, text]) => heavy.test(text));
  assert.deepEqual(wrong.map(([path]) => path), []);
  assert.ok(heavy.test('import { S3Client } from "@aws-sdk/client-s3";'));
});

Deno.test("the native code that hashes passwords is only loaded for sign-in", () => {
  const wrong = PRODUCT.filter(([, text]) => /^import (?!type\b)[^;]*@node-rs/m.test(text));
  assert.deepEqual(wrong.map(([path]) => path), []);
  for (const name of ["argon2", "bcrypt"]) {
    const loading = PRODUCT.filter(([, text]) => text.includes(`import("@node-rs/${name}")`));
    assert.equal(loading.length, 1, name);
  }
});

Deno.test("verbs do not use the runtime, the time of day or randomness directly", () => {
  const rooms = LIB_FOLDERS.slice(LIB_FOLDERS.indexOf("projects"));
  const inRooms = PRODUCT.filter(([path]) => rooms.some((room) => path.startsWith(`lib/${room}/`)));
  const wrong = inRooms
    .filter(([path]) => !inDriver(path))
    .filter(([, text]) => /\bDeno\.|\bDate\.now\(|new Date\(\)|Math\.random\(/.test(text));
  assert.deepEqual(wrong.map(([path]) => path), []);
});

Deno.test("a sign-in provider is one file and one row: shared code names none of them", () => {
  const own = /^lib\/social\/providers\/(\w+)\.ts$/;
  const names = PRODUCT.flatMap(([path]) => own.exec(path)?.[1] ?? []);
  assert.ok(names.length >= 2);
  const rooms = ["lib/social/", "lib/projects/", "lib/auth/", "lib/http/", "routes/"];
  const named = new RegExp(names.join("|"), "i");
  const wrong = PRODUCT.filter(([path]) => rooms.some((room) => path.startsWith(room)))
    .filter(([path]) => !own.test(path) && path !== "lib/social/providers.ts")
    .filter(([, text]) => named.test(text));
  assert.deepEqual(wrong.map(([path]) => path), []);
});

/** Files that may name several field types. */
const NAMING_FIELD_TYPES = [
  // Names of the types in each language.
  /^routes\/dashboard\/texts\/\w+\/documents\.tsx$/,
  // Types of other systems with the field types that have their values.
  /^lib\/operations\/foreign\//,
];

Deno.test("a field type is one file and one row: no other file distinguishes several types", () => {
  const names = Object.keys(FIELD_TYPES).join("|");
  // A declaration such as `{ type: "Date" }` uses a type without distinguishing several.
  const typeNames = new RegExp(`(?<!\\btype: )"(${names})"|^ *(${names}): `, "gm");
  const own = /^lib\/store\/field_types(?:\.ts|\/\w+\.ts)$/;
  const several = PRODUCT.filter(([path]) => !own.test(path)).filter(([, text]) =>
    new Set([...text.matchAll(typeNames)].map(([, literal, key]) => literal ?? key)).size > 1
  ).map(([path]) => path);
  const isNaming = (path: string) => NAMING_FIELD_TYPES.some((reason) => reason.test(path));
  assert.deepEqual(several.filter((path) => !isNaming(path)), []);
  for (const reason of NAMING_FIELD_TYPES) {
    assert.ok(several.some((path) => reason.test(path)), `${reason} is needed`);
  }
  const files = PRODUCT.filter(([path]) => /^lib\/store\/field_types\//.test(path));
  assert.equal(files.length, Object.keys(FIELD_TYPES).length + 1, "and the common interface");
});

Deno.test("the product parses JSON in one place, which avoids a bug in V8's parser", () => {
  const wrong = PRODUCT.filter(([path]) => path !== "lib/store/json_text.ts")
    .filter(([path]) => path !== "openapi/reference/update.ts") // Reads the manifest of a package.
    .filter(([, text]) => /\bJSON\.parse\(|\breq(?:uest)?\.json\(/.test(text));
  assert.deepEqual(wrong.map(([path]) => path), []);
});

Deno.test("all sealed records are resealed when keys change", () => {
  const list = "lib/operations/reseal.ts";
  const listed = importsOf(list, sources.get(list)!).map(({ target }) => target);
  const sealing = PRODUCT.filter(([path]) => path !== "lib/crypto/key_ring.ts")
    .filter(([, text]) => /\bkeyRing\.seal\(/.test(text)).map(([path]) => path);
  assert.ok(sealing.length >= 5);
  assert.deepEqual(sealing.filter((path) => !listed.includes(path)), []);
});

/** Modules that are started as programs. */
const ENTRIES = ["main.ts", "permissions.ts"];

Deno.test("only programs read the environment", () => {
  const wrong = PRODUCT.filter(([path]) => !ENTRIES.includes(path))
    .filter(([, text]) => /\bDeno\.env\b|process\.env\b/.test(text));
  assert.deepEqual(wrong.map(([path]) => path), []);
});

Deno.test("lazily imported modules are in the image", async () => {
  const [, fetched] = /\bcache --frozen ((?:.*\\\n)*.*)/.exec(await mustRead("Dockerfile"))!;
  const found = (pattern: RegExp) =>
    PRODUCT.flatMap(([path, text]) =>
      [...text.matchAll(pattern)].map(([, name]) => ({ path, name }))
    );
  const late = found(/\bimport\.meta\.resolve\(\s*"((?:@|\.+)\/[^"]+)"/g)
    .map(({ path, name }) => resolveModule(path, name!));
  assert.ok(late.length > 0);
  assert.equal(late.length, found(/\bimportLate</g).length, "each has a literal module name");
  assert.deepEqual(late.filter((path) => !fetched!.split(/[\s\\]+/).includes(path)), []);
});

Deno.test("files have at most the allowed number of lines", () => {
  const wrong: string[] = [];
  const check = (path: string, text: string, max: number) => {
    if (lines(text) > max) wrong.push(`${path}: ${lines(text)} lines, at most ${max}`);
  };
  for (const [path, text] of sources) {
    check(path, text, 500);
    if (inDriver(path)) check(path, text, 400);
    if (path.startsWith("routes/") && /^export const handle\w+: HandlerOf</m.test(text)) {
      check(path, text, 80);
    }
  }
  check("main.ts", sources.get("main.ts")!, 40);
  assert.deepEqual(wrong, []);
});

/** The linter loads a plugin by its default export. */
const LINT_PLUGIN = "tests/house/wording/plugin.ts";

Deno.test("sources are named in snake_case and export by name", () => {
  const named = [...sources.keys()].filter((path) =>
    !/^[a-z0-9_]+(?:\.d)?\.tsx?$/.test(path.split("/").at(-1)!)
  );
  assert.deepEqual(named, []);
  const wrong = [...sources].filter(([path, text]) =>
    path !== LINT_PLUGIN && /^export default\b/m.test(text)
  );
  assert.deepEqual(wrong.map(([path]) => path), []);
});

Deno.test("the pinned version of Deno is the same everywhere", async () => {
  const pinned = (await mustRead(".dvmrc")).trim();
  assert.match(pinned, /^\d+\.\d+\.\d+$/);
  for (const path of ["README.md", "Dockerfile", ".ci/run", "deno.json"]) {
    const text = await read(path) ?? "";
    const versions = [
      ...text.matchAll(/\bdeno(?:land\/deno)?[@:-](?:alpine-|bin-|debian-)?(\d+\.\d+\.\d+)/g),
    ];
    for (const [mention, version] of versions) assert.equal(version, pinned, `${path}: ${mention}`);
    if (path === "README.md") assert.ok(versions.length > 0, "the README names the version");
  }
});

Deno.test("the version of MongoDB's stand-in is pinned in one place", async () => {
  const place = "tests/services/stand_in.ts";
  const pinned = /\bVERSION = "(\d+\.\d+\.\d+[-.\w]*)"/.exec(sources.get(place)!)?.[1];
  assert.ok(pinned, `${place} pins the version`);
  const others: string[] = [];
  for (const path of FILES.filter((path) => !BINARY.test(path) && path !== place)) {
    const text = sources.get(path) ?? await mustRead(path);
    // Documents may name the version that was measured or tested.
    if (!path.endsWith(".md") && text.includes(pinned)) others.push(path);
    for (const [mention, version] of text.matchAll(/\bsecantus\S* v?(\d+\.\d+\.\d+[-.\w]*)/gi)) {
      if (!version!.startsWith(pinned)) others.push(`${path}: ${mention}`);
    }
  }
  assert.deepEqual(others, []);
});

type PermissionSet = Readonly<Record<string, unknown>>;

interface Tasks {
  readonly tasks: Readonly<Record<string, { readonly command: string }>>;
  readonly permissions: Readonly<Record<string, PermissionSet>>;
}

const readTasks = async (): Promise<Tasks> => JSON.parse(await mustRead("deno.json"));

/** Returns the command of a task without the tasks whose output it uses. */
const ownCommand = ({ tasks }: Tasks, name: string): string =>
  tasks[name]!.command.replaceAll(/\$\([^)]*\)/g, "");

/** Returns the permission set of a command. Throws if it has none. */
function setOf({ permissions }: Tasks, command: string): PermissionSet {
  const name = /\s-P=(\S+)/.exec(command)?.[1];
  assert.ok(name !== undefined && name in permissions, `a set of permissions in: ${command}`);
  return permissions[name]!;
}

Deno.test("tasks that read the environment may read exactly the settings of Corbel", async () => {
  const file = await readTasks();
  // The last pattern is read by MongoDB's driver for debugging.
  const settings = [...Object.keys(SETTINGS), "MONGODB_LOG_*"].toSorted();
  for (const name of ["dev", "start", "admin"]) {
    const command = ownCommand(file, name);
    const { allow, ignore } = setOf(file, command).env as { allow: string[]; ignore: unknown };
    // Commands resolve the files in their arguments against the folder in which they are started.
    const started = name === "admin" ? ["INIT_CWD"] : [];
    assert.deepEqual(allow.toSorted(), [...settings, ...started].toSorted(), name);
    assert.equal(ignore, true, name);
    assert.doesNotMatch(command, /--(?:allow|ignore|deny)-env|\s-E\b/, name);
  }
});

Deno.test("the server has only these permissions, in addition to those of its settings", async () => {
  const file = await readTasks();
  for (const name of ["dev", "start", "admin"]) {
    const command = ownCommand(file, name);
    const { env: _, ...others } = setOf(file, command);
    const isServed = name !== "admin";
    assert.deepEqual(others, {
      net: true,
      ...(!isServed && { read: true }),
      sys: ["osRelease", "uid", ...(isServed ? ["hostname", "setPriority"] : [])],
    });
    const flags = [...command.matchAll(/\s"?(-[A-Z]|--allow-\w+)(=?)/g)];
    const paths = [...(isServed ? ["-R="] : []), "-W=", "--allow-ffi="];
    assert.deepEqual(flags.map(([, flag, equals]) => flag! + equals), ["-P=", ...paths]);
  }
});

Deno.test("the program that finds the folders may only read the settings that name them", async () => {
  const file = await readTasks();
  const named = ["DATABASE_URL", "STORAGE_URL"];
  for (const name of ["dev", "start", "admin"]) {
    for (const [command, kind] of file.tasks[name]!.command.matchAll(/\$\([^)]* (\w+)\)/g)) {
      assert.doesNotMatch(command, /--allow/);
      const env = kind === "admin" ? [...named, "INIT_CWD"] : named;
      assert.deepEqual(setOf(file, command), { env }, command);
    }
  }
});

Deno.test("no task has all permissions", async () => {
  const { tasks, permissions } = await readTasks();
  for (const [name, { command }] of Object.entries(tasks)) {
    assert.ok(!/\s(?:-A|--allow-all)\b/.test(command), name);
  }
  for (const [name, set] of Object.entries(permissions)) assert.ok(!("all" in set), name);
});

Deno.test("the server uses the lock file and never asks for permissions", async () => {
  const { tasks } = await readTasks();
  for (const name of ["dev", "start", "admin"]) {
    for (const flag of ["--frozen", "--no-prompt"]) {
      assert.ok(tasks[name]!.command.split(" ").includes(flag), `${name} has ${flag}`);
    }
  }
});

Deno.test("every dependency is pinned to one version", async () => {
  const { imports } = JSON.parse(await mustRead("deno.json")) as {
    imports: Record<string, string>;
  };
  for (const [name, target] of Object.entries(imports)) {
    if (target.startsWith("./")) continue;
    assert.match(target, /^npm:(?:@[\w-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/, name);
  }
});

/** Split in halves, so that this file passes its own test. */
const FORBIDDEN: Record<string, RegExp> = {
  "a registry's host": new RegExp(["registry\\.npm" + "js", "npm\\." + "jsr\\.io"].join("|")),
  "a path of one machine": /(?<![\w.~*}\])-])\/(?:work|root|tmp)\//,
  "unfinished work": new RegExp(
    ["\\bTO" + "DO\\b", "\\bFIX" + "ME\\b", "\\bXX" + "X\\b"].join("|"),
  ),
};

Deno.test("no committed file names a registry, a path of one machine or unfinished work", async () => {
  const wrong: string[] = [];
  for (const path of FILES.filter((path) => !BINARY.test(path))) {
    const text = sources.get(path) ?? await mustRead(path);
    for (const [what, pattern] of Object.entries(FORBIDDEN)) {
      const found = pattern.exec(text);
      if (found !== null) wrong.push(`${path}: ${what}, "${found[0]}"`);
    }
  }
  assert.deepEqual(wrong, []);
});
