import assert from "node:assert/strict";
import { issueToken } from "@/lib/auth/issue_token.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  type CollectionCall,
  createTestCollection,
  type Doc,
  ok,
  type TestCollection,
} from "./test_collection.ts";

/**
 * The status of each operation for each caller, written by hand from the documented rules.
 *
 * Documents: A is Ann's, B is Bob's, N has no owner; a, b and n are their counterparts in the
 * trash. Callers: `none` sends no key, `pk` the publishable key; `user` adds Ann's token, `foreign`
 * a token of another project, `expired` an old one of Ann; `sk` is the secret key, `sk+user` adds
 * Ann's token. A list names the documents that it shows. Reads come before writes, which insert
 * their own documents.
 */
const TABLE: Record<"off" | "public-read" | "private", string> = {
  off: `
                none  pk    user  foreign  expired  sk      sk+user
    list        401   ABN   ABN   401      401      ABN     ABN
    list+trash  401   ABN   ABN   401      401      ABNabn  ABNabn
    count       401   3     3     401      401      3       3
    count+trash 401   3     3     401      401      6       6
    schema      401   200   200   401      401      200     200
    read:A      401   200   200   401      401      200     200
    read:B      401   200   200   401      401      200     200
    read:N      401   200   200   401      401      200     200
    read:a      401   404   404   401      401      404     404
    read+trash:A 401  200   200   401      401      200     200
    read+trash:a 401  404   404   401      401      200     200
    read+trash:b 401  404   404   401      401      200     200
    read+trash:n 401  404   404   401      401      200     200
    create      401   403   403   401      401      201     201
    create:B    401   403   403   401      401      201     201
    bulk        401   403   403   401      401      201     201
    bulk:B      401   403   403   401      401      201     201
    put:A       401   403   403   401      401      200     200
    put:B       401   403   403   401      401      200     200
    put:N       401   403   403   401      401      200     200
    put:a       401   403   403   401      401      404     404
    patch:A     401   403   403   401      401      200     200
    patch:B     401   403   403   401      401      200     200
    patch:N     401   403   403   401      401      200     200
    patch:a     401   403   403   401      401      404     404
    delete:A    401   403   403   401      401      200     200
    delete:B    401   403   403   401      401      200     200
    delete:N    401   403   403   401      401      200     200
    delete:a    401   403   403   401      401      404     404
    remove:A    401   403   403   401      401      200     200
    remove:B    401   403   403   401      401      200     200
    remove:a    401   403   403   401      401      200     200
    recover:A   401   403   403   401      401      200     200
    recover:a   401   403   403   401      401      200     200
    recover:b   401   403   403   401      401      200     200
    recover:n   401   403   403   401      401      200     200
  `,
  "public-read": `
                none  pk    user  foreign  expired  sk      sk+user
    list        401   ABN   ABN   401      401      ABN     ABN
    list+trash  401   ABN   ABNa  401      401      ABNabn  ABNabn
    count       401   3     3     401      401      3       3
    count+trash 401   3     4     401      401      6       6
    schema      401   200   200   401      401      200     200
    read:A      401   200   200   401      401      200     200
    read:B      401   200   200   401      401      200     200
    read:N      401   200   200   401      401      200     200
    read:a      401   404   404   401      401      404     404
    read+trash:A 401  200   200   401      401      200     200
    read+trash:a 401  404   200   401      401      200     200
    read+trash:b 401  404   404   401      401      200     200
    read+trash:n 401  404   404   401      401      200     200
    create      401   401   201   401      401      201     201
    create:B    401   401   403   401      401      201     201
    bulk        401   401   201   401      401      201     201
    bulk:B      401   401   403   401      401      201     201
    put:A       401   401   200   401      401      200     200
    put:B       401   401   403   401      401      200     200
    put:N       401   401   403   401      401      200     200
    put:a       401   401   404   401      401      404     404
    put:b       401   401   404   401      401      404     404
    patch:A     401   401   200   401      401      200     200
    patch:B     401   401   403   401      401      200     200
    patch:N     401   401   403   401      401      200     200
    patch:a     401   401   404   401      401      404     404
    patch:b     401   401   404   401      401      404     404
    delete:A    401   401   200   401      401      200     200
    delete:B    401   401   403   401      401      200     200
    delete:N    401   401   403   401      401      200     200
    delete:a    401   401   404   401      401      404     404
    delete:b    401   401   404   401      401      404     404
    remove:A    401   403   403   401      401      200     200
    remove:B    401   403   403   401      401      200     200
    remove:a    401   403   403   401      401      200     200
    recover:A   401   401   200   401      401      200     200
    recover:B   401   401   403   401      401      200     200
    recover:N   401   401   403   401      401      200     200
    recover:a   401   401   200   401      401      200     200
    recover:b   401   401   404   401      401      200     200
    recover:n   401   401   404   401      401      200     200
  `,
  private: `
                none  pk    user  foreign  expired  sk      sk+user
    list        401   401   A     401      401      ABN     ABN
    list+trash  401   401   Aa    401      401      ABNabn  ABNabn
    count       401   401   1     401      401      3       3
    count+trash 401   401   2     401      401      6       6
    schema      401   200   200   401      401      200     200
    read:A      401   401   200   401      401      200     200
    read:B      401   401   404   401      401      200     200
    read:N      401   401   404   401      401      200     200
    read:a      401   401   404   401      401      404     404
    read+trash:A 401  401   200   401      401      200     200
    read+trash:a 401  401   200   401      401      200     200
    read+trash:b 401  401   404   401      401      200     200
    read+trash:n 401  401   404   401      401      200     200
    create      401   401   201   401      401      201     201
    create:B    401   401   403   401      401      201     201
    bulk        401   401   201   401      401      201     201
    bulk:B      401   401   403   401      401      201     201
    put:A       401   401   200   401      401      200     200
    put:B       401   401   404   401      401      200     200
    put:N       401   401   404   401      401      200     200
    put:a       401   401   404   401      401      404     404
    put:b       401   401   404   401      401      404     404
    patch:A     401   401   200   401      401      200     200
    patch:B     401   401   404   401      401      200     200
    patch:N     401   401   404   401      401      200     200
    patch:a     401   401   404   401      401      404     404
    patch:b     401   401   404   401      401      404     404
    delete:A    401   401   200   401      401      200     200
    delete:B    401   401   404   401      401      200     200
    delete:N    401   401   404   401      401      200     200
    delete:a    401   401   404   401      401      404     404
    delete:b    401   401   404   401      401      404     404
    remove:A    401   403   403   401      401      200     200
    remove:B    401   403   403   401      401      200     200
    remove:a    401   403   403   401      401      200     200
    recover:A   401   401   200   401      401      200     200
    recover:B   401   401   404   401      401      200     200
    recover:N   401   401   404   401      401      200     200
    recover:a   401   401   200   401      401      200     200
    recover:b   401   401   404   401      401      200     200
    recover:n   401   401   404   401      401      200     200
  `,
};

type Send = (call: CollectionCall) => Promise<Answer>;
type Letter = "A" | "B" | "N";

async function callersOf(app: TestApp, collection: TestCollection) {
  const { project, name } = collection;
  const [ann, bob] = [await project.user(), await project.user()];
  const foreign = await (await app.project()).user();
  const expired = await issueToken(app.services, project.projectId, { userId: ann.id, seconds: 1 });
  app.clock.advance(60_000);
  const as = (key: string | null, token?: string): Send => (call) =>
    app.send({
      ...call,
      path: call.path?.startsWith("/api/") ? call.path : `/api/data/${name}${call.path ?? ""}`,
      headers: {
        ...(key !== null && { "x-api-key": key }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    });
  const { publishableKey: pk, secretKey: sk } = project;
  const callers: Record<string, Send> = {
    none: as(null),
    pk: as(pk),
    user: as(pk, ann.token),
    foreign: as(pk, foreign.token),
    expired: as(pk, expired),
    sk: as(sk),
    "sk+user": as(sk, ann.token),
  };
  return { callers, owners: { A: ann.id, B: bob.id, N: null } };
}

/** One kind of write of a document, and how to check that it was done. */
const WRITES: Record<
  string,
  { call(id: string): CollectionCall; done(after: Doc | null): boolean }
> = {
  put: {
    call: (id) => ({ method: "PUT", path: `/${id}`, body: { written: true } }),
    done: (after) => after?.written === true,
  },
  patch: {
    call: (id) => ({ method: "PATCH", path: `/${id}`, body: { written: true } }),
    done: (after) => after?.written === true,
  },
  delete: {
    call: (id) => ({ method: "DELETE", path: `/${id}` }),
    done: (after) => after?.isDeleted === true,
  },
  remove: {
    call: (id) => ({ method: "DELETE", path: `/${id}?permanent=true` }),
    done: (after) => after === null,
  },
  recover: {
    call: (id) => ({ method: "PATCH", path: `/${id}/recover` }),
    done: (after) => after?.isDeleted === false,
  },
};

for (const [mode, grid] of Object.entries(TABLE)) {
  Deno.test(`row-level security ${mode}: every caller, every operation`, async () => {
    await using app = await openTestApp();
    const rls = mode === "off" ? { enabled: false } : { mode };
    const collection = await createTestCollection(app, {
      rls,
      fields: [{ key: "n", type: "String" }],
    });
    const { callers, owners } = await callersOf(app, collection);
    const rows = new Map<string, string>();

    async function insertLettered(letter: string): Promise<string> {
      const owner = owners[letter.toUpperCase() as Letter];
      const { _id } = await collection.insertOne({ n: letter, ...(owner && { userId: owner }) });
      if (letter !== letter.toUpperCase()) await collection.remove(_id);
      return _id;
    }

    async function runCell(operation: string, send: Send): Promise<string> {
      const [kind, letter = ""] = operation.split(":") as [string, string?];
      const trash = kind.endsWith("+trash") ? "&include_deleted=true" : "";
      switch (kind.replace("+trash", "")) {
        case "list": {
          const answer = await send({ path: `?sort=_id${trash}` });
          if (answer.status !== 200) return String(answer.status);
          const { items, total } = answer.body.data as { items: Doc[]; total: number };
          assert.equal(total, items.length, operation);
          return items.map(({ n }) => n).join("");
        }
        case "count": {
          const answer = await send({ path: `?count=true${trash}` });
          return String(answer.status === 200 ? answer.body.data.count : answer.status);
        }
        case "schema":
          return String((await send({ path: `/api/schemas/${collection.name}` })).status);
        case "read": {
          const answer = await send({ path: `/${rows.get(letter)}?meta=true${trash}` });
          if (answer.status === 200) assert.equal(answer.body.data.n, letter);
          return String(answer.status);
        }
        case "create":
        case "bulk":
          return await runCreation(kind, letter, send);
        default:
          return await runWrite(kind, letter, send);
      }
    }

    async function runCreation(kind: string, letter: string, send: Send): Promise<string> {
      const body = letter === "" ? {} : { userId: owners[letter as Letter] };
      const call = kind === "create" ? { body } : { path: "/bulk", body: [{}, body] };
      const before = ok(await collection.asSecret({ path: "?count=true" })).count;
      const answer = await send(call);
      const after = ok(await collection.asSecret({ path: "?count=true" })).count;
      const expected = answer.status === 201 ? (kind === "create" ? 1 : 2) : 0;
      assert.equal(after - before, expected, `${kind} ${letter} stored ${after - before}`);
      return String(answer.status);
    }

    async function runWrite(kind: string, letter: string, send: Send): Promise<string> {
      const write = WRITES[kind]!;
      const id = await insertLettered(letter);
      const before = await collection.read(id);
      app.clock.advance(1000);
      const answer = await send(write.call(id));
      const after = await collection.read(id);
      if (answer.status === 200) {
        assert.ok(write.done(after.status === 200 ? after.body.data : null), `${kind} ${letter}`);
      } else assert.equal(after.text, before.text, `a refused ${kind} of ${letter} left a trace`);
      return String(answer.status);
    }

    for (const letter of ["A", "B", "N", "a", "b", "n"]) {
      rows.set(letter, await insertLettered(letter));
    }
    const [head, ...lines] = grid.trim().split("\n").map((line) => line.trim().split(/\s+/));
    const got = [head!.join(" ")];
    const wanted = [head!.join(" ")];
    for (const [operation, ...cells] of lines) {
      assert.equal(cells.length, head!.length, operation);
      const row = [operation!];
      for (const caller of head!) row.push(await runCell(operation!, callers[caller]!));
      got.push(row.join(" "));
      wanted.push([operation, ...cells].join(" "));
    }
    assert.deepEqual(got, wanted);
  });
}
