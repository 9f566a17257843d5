import assert from "node:assert/strict";
import type { ProblemCode } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestApp, TestProject, TestUser } from "../support/test_app.ts";

export interface Doc {
  readonly _id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly isDeleted: boolean;
  readonly deletedAt: string | null;
  readonly [name: string]: Json;
}

/** A call whose path begins after the collection: `""`, `"?limit=1"`, `"/bulk"`, `"/<id>"`. */
export type CollectionCall = Omit<Call, "path"> & { readonly path?: string };

export interface TestCollection {
  readonly app: TestApp;
  readonly project: TestProject;
  readonly name: string;
  asSecret(call: CollectionCall): Promise<Answer>;
  asPublic(call: CollectionCall, user?: TestUser): Promise<Answer>;
  /** Inserts documents one after the other, one second apart, with the secret key. */
  insert(...documents: readonly { readonly [name: string]: unknown }[]): Promise<Doc[]>;
  insertOne(document?: { readonly [name: string]: unknown }): Promise<Doc>;
  /** Reads a document with the secret key, even from the trash. */
  read(id: string): Promise<Answer>;
  remove(id: string): Promise<void>;
  /** Returns field `n` of the listed documents, in order. */
  names(query: string, user?: TestUser | "public"): Promise<Json[]>;
  /** Runs `work` and fails if it changes the collection's documents. */
  untouched(work: () => Promise<void>): Promise<void>;
}

/** Creates a project with one collection; `definition` needs no name. */
export async function createTestCollection(
  app: TestApp,
  definition: { readonly [name: string]: unknown } = {},
  project?: TestProject,
): Promise<TestCollection> {
  const owner = project ?? await app.project();
  const name = (definition.name as string | undefined) ?? "posts";
  await owner.collection({ name, rls: { mode: "public-read" }, ...definition });
  return testCollectionOf(app, owner, name);
}

export function testCollectionOf(app: TestApp, project: TestProject, name: string): TestCollection {
  const inCollection = (call: CollectionCall): Call => ({
    ...call,
    path: `/api/data/${name}${call.path ?? ""}`,
  });
  const asSecret = (call: CollectionCall) => project.asSecret(inCollection(call));
  const asPublic = (call: CollectionCall, user?: TestUser) =>
    project.asPublic(inCollection(call), user);

  async function insertOne(document: { readonly [name: string]: unknown } = {}): Promise<Doc> {
    app.clock.advance(1000);
    const answer = await asSecret({ body: document });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.data;
  }

  /** Revisions are not visible, but each change moves `updatedAt`, because the clock advances. */
  async function state(): Promise<string> {
    const answer = await asSecret({
      path: "?include_deleted=true&limit=1000&sort=_id",
      headers: { "cache-control": "no-cache" },
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.text;
  }

  return {
    app,
    project,
    name,
    asSecret,
    asPublic,
    insertOne,
    async insert(...documents) {
      const stored: Doc[] = [];
      for (const document of documents) stored.push(await insertOne(document));
      return stored;
    },
    read: (id) => asSecret({ path: `/${id}?include_deleted=true` }),
    async remove(id) {
      app.clock.advance(1000);
      const answer = await asSecret({ method: "DELETE", path: `/${id}` });
      assert.equal(answer.status, 200, answer.text);
    },
    async names(query, user) {
      const call = { path: query === "" ? "" : `?${query}` };
      const answer = user === undefined
        ? await asSecret(call)
        : await asPublic(call, user === "public" ? undefined : user);
      assert.equal(answer.status, 200, `${query}: ${answer.text}`);
      return answer.body.data.items.map((item: Doc) => item.n);
    },
    async untouched(work) {
      const before = await state();
      app.clock.advance(1000);
      await work();
      assert.equal(await state(), before, "a refused request changed what is stored");
    },
  };
}

/** Fails unless the answer is this refusal and its message contains `says`. */
export function refused(
  answer: Answer,
  status: number,
  code: ProblemCode,
  says: string | RegExp = "",
): void {
  const got = { status: answer.status, code: answer.body?.code };
  assert.deepEqual(got, { status, code }, answer.text.slice(0, 500));
  assert.equal(answer.body.success, false);
  assert.deepEqual(answer.body.data, {});
  const { message } = answer.body as { message: string };
  assert.ok(
    typeof says === "string" ? message.includes(says) : says.test(message),
    `"${message}" does not say ${says}`,
  );
}

/** Fails unless the answer has this status; returns its `data`. */
// deno-lint-ignore no-explicit-any -- As in answers: tests look into data of every shape.
export function ok(answer: Answer, status = 200): any {
  assert.equal(answer.status, status, answer.text.slice(0, 500));
  assert.equal(answer.body.success, true);
  return answer.body.data;
}

export function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const UNKNOWN_ID = "0123456789abcdef01234567";
