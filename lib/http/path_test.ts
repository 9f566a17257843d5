import assert from "node:assert/strict";
import { readAddress, RESERVED_PATH } from "./path.ts";

const HOST = "http://localhost:8000";

/** Returns the path that is routed, or `malformed`. */
const pathOf = (target: string): string => {
  const { path, malformed } = readAddress(HOST + target);
  return malformed ? "malformed" : path;
};

function table(rows: readonly (readonly [target: string, path: string])[]): void {
  for (const [target, path] of rows) assert.equal(pathOf(target), path, target);
}

Deno.test("readAddress keeps plain paths", () => {
  const plain = ["/", "/docs", "/openapi.json", "/api/health/ready", "/api/data/posts/abc-1_2~3"];
  table(plain.map((path) => [path, path]));
  table([["/api/data/posts/", "/api/data/posts"], ["/a...b", "/a...b"], ["/%61/", "/a"]]);
});

Deno.test("readAddress decodes encoded characters once", () => {
  table([
    ["/api/data/p%6Fsts", "/api/data/posts"],
    ["/api/data/p%6fsts", "/api/data/posts"],
    ["/%61pi/data/posts", "/api/data/posts"],
    ["/api/data/gr%C3%B6%C3%9Fe", "/api/data/größe"],
    ["/api/data/a%20b", "/api/data/a b"],
    ["/a+b", "/a+b"],
    ["/a;b=c:d@e!f$g&h'i(j)k*l,m", "/a;b=c:d@e!f$g&h'i(j)k*l,m"],
    ["/.well-known/x", "/.well-known/x"],
    ["/...", "/..."],
  ]);
});

Deno.test("readAddress marks ambiguous paths as malformed", () => {
  const targets = [
    "//",
    "//api/data/posts",
    "/api//data/posts",
    "/api/data//posts",
    "/api/data/posts//",
    "/./api",
    "/api/./data",
    "/api/../api/data/posts",
    "/api/data/posts/..",
    "/api/data/posts/.",
    "/api/%2e/data",
    "/api/%2E%2E/data",
    "/api/.%2e/data",
    "/api/data/a%2Fb",
    "/api/data/a%2fb",
    "/api%2Fdata/posts",
    "/api\\data\\posts",
    "/api/data/a%5Cb",
    "/api/data/a%25b",
    "/api/data/%2575sers",
  ];
  table(targets.map((target) => [target, "malformed"]));
});

Deno.test("readAddress marks invalid escapes and control characters as malformed", () => {
  const targets = [
    "/api/data/%",
    "/api/data/a%zz",
    "/api/data/a%2",
    "/api/data/%ff",
    "/api/data/%C3",
    "/api/data/%ED%A0%80",
    "/api/data/a%00",
    "/api/data/a%0Ab",
    "/api/data/%7F",
    "/api/data/%C2%85",
  ];
  table(targets.map((target) => [target, "malformed"]));
});

Deno.test("readAddress maps paths under /api/data/users to one path in any letter case", () => {
  const targets = [
    "/api/data/users",
    "/api/data/Users",
    "/api/data/USERS",
    "/api/data/uSeRs/",
    "/api/data/users/66f1a0c2e4b0a1b2c3d4e5f6",
    "/api/data/users2",
    "/api/data/usersArchive/bulk",
    "/api/data/users.json",
    "/api/data/users;x",
    "/api/data/users//x",
    "/api/data/users/../posts",
    "/api/data/users/%2e%2e/posts",
  ];
  table(targets.map((target) => [target, RESERVED_PATH]));
});

Deno.test("readAddress maps paths under /api/data/users to one path in any encoding", () => {
  const targets = [
    "/api/data/%75sers",
    "/api/data/%55SERS",
    "/api/data/u%73er%73",
    "/api/data/%75%73%65%72%73",
    "/api/data/%75sers/abc",
    "/api/data/%75sers%2Fabc",
    "/api/data/users%2F..%2Fposts",
    "/api/data/users%00",
    "/api/data/users%zz",
    "/api/data/USERS%zz",
    "/api/data/users%20",
  ];
  table(targets.map((target) => [target, RESERVED_PATH]));
});

Deno.test("readAddress recognizes the reserved path if any part of it is encoded", () => {
  const targets = [
    "/%61pi/data/users",
    "/api/%64ata/users",
    "/api/dat%61/users/abc",
    "/%61%70%69/%64%61%74%61/%75%73%65%72%73",
    "/api/%64ata/usersArchive",
    "/api/%64ata/Users",
  ];
  table(targets.map((target) => [target, RESERVED_PATH]));
});

Deno.test("readAddress does not map other paths to the reserved one", () => {
  table([
    ["/api/data/user", "/api/data/user"],
    ["/api/data/user/s", "/api/data/user/s"],
    ["/api/data/posts/users", "/api/data/posts/users"],
    ["/api/data/superusers", "/api/data/superusers"],
    ["/api/userAuth/users/abc", "/api/userAuth/users/abc"],
    ["/api/datausers", "/api/datausers"],
    ["/api/schemas/users", "/api/schemas/users"],
  ]);
});

Deno.test("readAddress returns the query as it was sent", () => {
  const address = readAddress(`${HOST}/api/data/posts?a=%2F..%2F&b=//x?y&c=%zz`);
  assert.deepEqual(address, {
    path: "/api/data/posts",
    query: "a=%2F..%2F&b=//x?y&c=%zz",
    malformed: false,
  });
  assert.equal(readAddress(`${HOST}/a`).query, "");
  assert.equal(readAddress(`${HOST}/a?`).query, "");
  assert.equal(readAddress(`${HOST}/api/data/users?a=1`).query, "a=1");
  assert.equal(readAddress(`${HOST}/a//b?a=1`).query, "a=1");
});

Deno.test("readAddress ignores fragments", () => {
  assert.deepEqual(readAddress(`${HOST}/docs#/api/data/users`), {
    path: "/docs",
    query: "",
    malformed: false,
  });
  assert.equal(readAddress(`${HOST}/a?b=c#d?e`).query, "b=c");
});

Deno.test("readAddress returns the root for an address without a path", () => {
  assert.equal(readAddress("http://localhost:8000").path, "/");
  assert.equal(readAddress("https://api.example.com/").path, "/");
  assert.equal(readAddress("http://[::1]:8000/docs").path, "/docs");
});

Deno.test("readAddress finds the end of the host despite slashes in the query or fragment", () => {
  const address = (url: string) => {
    const { path, query } = readAddress(url);
    return [path, query];
  };
  assert.deepEqual(address("http://x?y=/api/health"), ["/", "y=/api/health"]);
  assert.deepEqual(address("http://x?/api/health"), ["/", "/api/health"]);
  assert.deepEqual(address("http://x?y#/api/health"), ["/", "y"]);
  assert.deepEqual(address("http://x#/api/health?y=1"), ["/", ""]);
  assert.deepEqual(address("http://x?"), ["/", ""]);
  assert.deepEqual(address("http://x#"), ["/", ""]);
  assert.deepEqual(address("http://x/?y=://z/api/health"), ["/", "y=://z/api/health"]);
  assert.deepEqual(address("HTTP://X/api/health"), ["/api/health", ""]);
  assert.deepEqual(address("http://user:word@x:8000/api/health"), ["/api/health", ""]);
  assert.deepEqual(address("http://a.example:443"), ["/", ""], "the target form of CONNECT");
  assert.deepEqual(address("http://localhost:8000/*"), ["/*", ""], "the asterisk form of OPTIONS");
});

Deno.test("readAddress returns a malformed path as it was sent", () => {
  assert.deepEqual(readAddress(`${HOST}/api//data?x=1`), {
    path: "/api//data",
    query: "x=1",
    malformed: true,
  });
});
