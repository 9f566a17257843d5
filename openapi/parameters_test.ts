import assert from "node:assert/strict";
import { deletionQuery, keyKind, pageQuery, projectId, userId, userQuery } from "./parameters.ts";
import { fileQuery } from "./file_parameters.ts";

Deno.test("a deletion is permanent only with permanent=true", () => {
  assert.deepEqual(deletionQuery.read(""), { permanent: false });
  assert.deepEqual(deletionQuery.read("permanent=false"), { permanent: false });
  assert.deepEqual(deletionQuery.read("permanent=true"), { permanent: true });
  for (const value of ["", "1", "yes"]) {
    assert.throws(() => deletionQuery.read(`permanent=${value}`), { code: "INVALID_QUERY" });
  }
  assert.throws(() => deletionQuery.read("force=true"), {
    code: "INVALID_QUERY",
    message: '"force" is not a parameter of deletions: use permanent.',
  });
});

Deno.test("a deletion refuses a repeated parameter", () => {
  for (const query of ["permanent=false&permanent=true", "permanent=true&permanent=false"]) {
    assert.throws(() => deletionQuery.read(query), { code: "INVALID_QUERY" }, query);
  }
});

Deno.test("the limit of a list is 100 by default and at most 1000", () => {
  assert.deepEqual(pageQuery.read(""), { limit: 100 });
  assert.deepEqual(pageQuery.read("cursor=x&limit=1000"), { limit: 1000, cursor: "x" });
  for (const limit of ["", "0", "-1", "01", "1.5", "1001", "1e2", "99999999999", "ten"]) {
    assert.throws(() => pageQuery.read(`limit=${limit}`), {
      code: "INVALID_QUERY",
      message: '"limit" must be a whole number from 1 to 1000.',
    }, limit);
  }
});

Deno.test("a list refuses unknown and repeated parameters by name", () => {
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

Deno.test("fileQuery accepts one path and nothing else", () => {
  assert.deepEqual(fileQuery.read("path=a%2Fb"), { path: "a/b" });
  for (const query of ["", "path=", "path=a&path=b", "path=a&x=1", "name=a"]) {
    assert.throws(() => fileQuery.read(query), {
      code: "INVALID_QUERY",
      message: 'Send "path", once, and nothing else.',
    }, query);
  }
});

Deno.test("an id in a path has 24 hexadecimal digits in any letter case", () => {
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

Deno.test("keyKind accepts publishable and secret", () => {
  assert.equal(keyKind.read("secret"), "secret");
  assert.throws(() => keyKind.read("public"), {
    code: "INVALID_INPUT",
    message: "The kind must be publishable or secret.",
  });
});
