import assert from "node:assert/strict";
import { deletion, keyKind, pageQuery, projectId, userId, userQuery } from "./parameters.ts";
import { fileQuery } from "./file_parameters.ts";

Deno.test("a deletion is permanent only if it says so", () => {
  assert.deepEqual(deletion.read(""), { permanent: false });
  assert.deepEqual(deletion.read("permanent=false"), { permanent: false });
  assert.deepEqual(deletion.read("permanent=true"), { permanent: true });
  for (const value of ["", "1", "yes"]) {
    assert.throws(() => deletion.read(`permanent=${value}`), { code: "INVALID_QUERY" });
  }
  assert.throws(() => deletion.read("force=true"), {
    code: "INVALID_QUERY",
    message: '"force" is not a parameter of deletions: use permanent.',
  });
});

Deno.test("a deletion that says both is refused", () => {
  for (const query of ["permanent=false&permanent=true", "permanent=true&permanent=false"]) {
    assert.throws(() => deletion.read(query), { code: "INVALID_QUERY" }, query);
  }
});

Deno.test("a list has a page of 100, and up to 1000", () => {
  assert.deepEqual(pageQuery.read(""), { limit: 100 });
  assert.deepEqual(pageQuery.read("cursor=x&limit=1000"), { limit: 1000, cursor: "x" });
  for (const limit of ["", "0", "-1", "01", "1.5", "1001", "1e2", "99999999999", "ten"]) {
    assert.throws(() => pageQuery.read(`limit=${limit}`), {
      code: "INVALID_QUERY",
      message: '"limit" must be a whole number from 1 to 1000.',
    }, limit);
  }
});

Deno.test("what is no parameter of a list, or comes twice, is refused by its name", () => {
  assert.throws(() => pageQuery.read("page=2"), {
    code: "INVALID_QUERY",
    message: '"page" is not a parameter of this list: use limit, cursor.',
  });
  assert.throws(() => userQuery.read("limit=1&toString=1"), {
    message: '"toString" is not a parameter of this list: use limit, cursor, email, search.',
  });
  assert.throws(() => userQuery.read("email=a&email=b"), {
    message: '"email" is given more than once.',
  });
});

Deno.test("a file is asked for by its path, once, and nothing else", () => {
  assert.deepEqual(fileQuery.read("path=a%2Fb"), { path: "a/b" });
  for (const query of ["", "path=", "path=a&path=b", "path=a&x=1", "name=a"]) {
    assert.throws(() => fileQuery.read(query), {
      code: "INVALID_QUERY",
      message: 'Send "path", once, and nothing else.',
    }, query);
  }
});

Deno.test("an id of a path is 24 hexadecimal digits, in any case", () => {
  const id = "66f1a0c2e4b0a1b2c3d4e5f6";
  assert.deepEqual([userId.read(id.toUpperCase()), projectId.read(id)], [id, id]);
  for (const text of ["", "test", "control", "../control", `${id}0`]) {
    assert.throws(() => userId.read(text), { code: "INVALID_ID", status: 400 });
    assert.throws(() => projectId.read(text), {
      code: "INVALID_PROJECT_ID",
      status: 400,
      message: "Invalid project ID",
    });
  }
});

Deno.test("a key is the publishable or the secret one", () => {
  assert.equal(keyKind.read("secret"), "secret");
  assert.throws(() => keyKind.read("public"), {
    code: "INVALID_INPUT",
    message: "The kind must be publishable or secret.",
  });
});
