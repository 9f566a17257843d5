import fc from "fast-check";
import assert from "node:assert/strict";
import type { Definition } from "./model_types.ts";
import {
  ask,
  type CaseProject,
  createCase,
  type CreatedCollection,
  openCaseProjects,
} from "./created_collection.ts";
import { check } from "./run.ts";

/** A definition with fields of every type. */
const DEFINITION: Definition = {
  name: "junk",
  fields: [
    { key: "title", type: "String", unique: true },
    { key: "views", type: "Number", index: true },
    { key: "at", type: "Date" },
    { key: "done", type: "Boolean" },
    { key: "tags", type: "Array", items: { type: "String" } },
    { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
    { key: "friend", type: "Ref", ref: "users" },
  ],
  rls: { enabled: true, mode: "public-read", ownerField: "userId" },
  strict: false,
};

const PLAN = { owner: 0, deleted: false, before: null, later: false };

const documents = (caseProject: CaseProject): Promise<CreatedCollection> =>
  createCase(caseProject, {
    definition: DEFINITION,
    plans: [
      { ...PLAN, members: { title: "a", views: 1, at: "2026-01-31T12:00:00.000Z", tags: ["x"] } },
      { ...PLAN, members: { place: { city: "é" }, friend: "f".repeat(24), u: [1, { x: null }] } },
    ],
  });

/** Noise that is sent unchanged; each letter is a byte or a character. */
const noise = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
    fc.constantFrom(..."&=&=%?#+;,.$_:-\"'{}[]()\\/*^|01 \0\ud83d\udc00"),
    fc.constantFrom("%00", "%ff", "%C0%80", "%ED%A0%80", "%F0%9F%98%80", "%2", "%zz", "%26", "%3D"),
  ),
  maxLength: 30,
});

/** Words that let noise pass the first checks. */
const word = fc.constantFrom(
  ...["where=", "sort=", "fields=", "cursor=", "populate=", "expand=", "page=", "limit=", "total="],
  ...["include_deleted=true", "count=true", "meta=false", "explain=true", "title=", "views=1e999"],
  ...[
    "title_regex=",
    "u_regex=",
    "views_in=",
    "tags_nin=",
    "at_gt=",
    "place.city=",
    "friend=",
    "_gt=",
  ],
  ...[
    'where={"or":[',
    '{"title":{"in":',
    '{"not":',
    '{"u":{"regex":"',
    "]}",
    '"}}',
    "sort=-views,",
  ],
  ...["(?i)", "(a+)+", "[[:alpha:]]", "\\p{L}", "\\x{10FFFF}", "a{1000}", "(?P<n>", "[z-a]", "\\Q"],
  ...["page=999999999999999999", "limit=1000", "views_gt=-0", "u=9007199254740993", "u=null"],
  `where=${"[".repeat(2000)}`,
  `where=${'{"not":'.repeat(500)}`,
  `${"a.".repeat(500)}b=1`,
  "&",
);

/** Several elements: a single one is handled too soon. */
const several = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(one, { minLength: 1, maxLength: 8, size: "max" });

const queryText = fc.array(
  fc.oneof({ arbitrary: word, weight: 2 }, { arbitrary: noise, weight: 3 }),
  {
    maxLength: 8,
  },
).map((parts) => parts.join(""));

Deno.test("an invalid query text is refused without a server error", async () => {
  await using caseProjects = await openCaseProjects();
  const created = await documents(await caseProjects.next());
  await check("Junk in queries", several(queryText), async (texts) => {
    const id = created.documents[0]!._id;
    for (const path of texts.flatMap((text) => [`?${text}`, `/${id}?${text}`])) {
      const { status, text: answerText } = await ask(created.caseProject, created.definition, {
        path,
      });
      assert.ok(status < 500, `GET ${JSON.stringify(path)} answered ${status} ${answerText}`);
    }
  });
});

const member = fc.constantFrom(
  ...["title", "views", "at", "done", "tags", "place", "friend", "userId", "u", "_id", "isDeleted"],
  ...[
    "createdAt",
    "deletedAt",
    "documents",
    "place.city",
    "u.v",
    "$set",
    "__proto__",
    "",
    " ",
    "\0",
  ],
);

/** JSON of any shape, with significant and forbidden names. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, "", "2026-02-30", "\ud800", "\0", "x"),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(member, tie("value")), { maxLength: 4 }).map((all) => new Map(all)),
  ),
})).value;

/** Converts maps to objects in the text, because as objects some of their names would vanish. */
function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  const members = [...value].map(([name, one]) => `${JSON.stringify(name)}:${jsonText(one)}`);
  return `{${members.join(",")}}`;
}

const cut = fc.tuple(json.map(jsonText), fc.nat(100), noise)
  .map(([text, at, junk]) => text.slice(0, at) + junk + text.slice(at + 1));

const body: fc.Arbitrary<string | Uint8Array<ArrayBuffer>> = fc.oneof(
  { arbitrary: json.map(jsonText), weight: 6 },
  { arbitrary: json.map((value) => `{"documents":[${jsonText(value)}]}`), weight: 2 },
  { arbitrary: cut, weight: 3 },
  { arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => new Uint8Array(bytes)), weight: 2 },
  {
    arbitrary: fc.constantFrom(
      ...["[".repeat(10_000), '{"a":'.repeat(10_000), `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
      ...["1e999", '{"views":1e999}', '{"u":1e999}', '{"u":-1e-999}', "\ufeff{}", '{"a":1,"a":2}'],
    ),
    weight: 1,
  },
);

const call = fc.record({
  method: fc.constantFrom("POST", "PUT", "PATCH"),
  target: fc.constantFrom("", "/bulk", "/@id", "/@id", "/@id/recover", "/ffffffffffffffffffffffff"),
  body,
  type: fc.oneof(
    { arbitrary: fc.constant("application/json"), weight: 12 },
    {
      arbitrary: fc.constantFrom("none", "text/plain", "application/json; charset=latin1"),
      weight: 1,
    },
  ),
  key: fc.option(fc.constantFrom("", "a", "a", "b", "x".repeat(129)), { freq: 3 }),
});

Deno.test("an invalid body is refused without a server error", async () => {
  await using caseProjects = await openCaseProjects();
  const created = await documents(await caseProjects.next());
  await check("Junk in bodies", several(call), async (calls) => {
    for (const { method, target, body, type, key } of calls) {
      const path = target.replace("@id", created.documents[0]!._id);
      const headers = { "content-type": type, ...(key !== null && { "idempotency-key": key }) };
      const answer = await ask(created.caseProject, created.definition, {
        method,
        path,
        body,
        headers,
      });
      const sent = typeof body === "string" ? JSON.stringify(body) : `bytes ${body}`;
      assert.ok(answer.status < 500, `${method} ${path} ${sent} answered ${answer.text}`);
    }
  });
  // Everything that was stored can be listed.
  const listed = await ask(created.caseProject, created.definition, {
    path: "?sort=views,at&limit=1000",
  });
  assert.equal(listed.status, 200, listed.text);
});
