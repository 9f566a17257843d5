import assert from "node:assert/strict";
import { createCookies } from "../http/cookies.ts";
import { createBrowsers } from "./browser.ts";

const cookies = createCookies("http://localhost:8000");
const pairOf = ([, text]: readonly [string, string]) => text.split(";")[0]!;

Deno.test("identify recognizes a browser by its cookie and keeps the cookie", () => {
  const browsers = createBrowsers(cookies, ["key"]);
  const first = browsers.identify(null);
  const header = `theme=dark; ${pairOf(first.cookie)}; corbel_rt_1=x`;
  assert.deepEqual(browsers.hashesOf(header), [first.browserHash]);
  assert.deepEqual(browsers.identify(header), first);
  assert.notEqual(browsers.identify(null).browserHash, first.browserHash);
});

Deno.test("hashesOf returns the marks of tabs that started concurrently", () => {
  const browsers = createBrowsers(cookies, ["key"]);
  const tabs = [browsers.identify(null), browsers.identify(null)];
  const header = tabs.map(({ cookie }) => pairOf(cookie)).join("; ");
  assert.deepEqual(browsers.hashesOf(header), tabs.map(({ browserHash }) => browserHash));
  assert.equal(browsers.identify(header).browserHash, tabs[0]!.browserHash);
});

Deno.test("hashesOf ignores cookies that are unsigned or signed with another name or key", () => {
  const browsers = createBrowsers(cookies, ["key"]);
  const pair = pairOf(browsers.identify(null).cookie);
  const [name, value] = pair.split("=") as [string, string];
  const [mark, signature] = value.split(".") as [string, string];
  const forged = [
    `${name}x=${value}`,
    `${name}=${mark}`,
    `${name}=${mark}.`,
    `${name}=.${signature}`,
    `${name}=${mark}x.${signature}`,
    `${name}=`,
    name,
    `__Host-${pair}`,
    ` =${value}`,
  ];
  for (const header of forged) assert.deepEqual(browsers.hashesOf(header), [], header);
  assert.deepEqual(createBrowsers(cookies, ["other"]).hashesOf(pair), []);
});

Deno.test("identify accepts a mark that an older key signed and signs it with the first key", () => {
  const old = createBrowsers(cookies, ["old"]).identify(null);
  const browsers = createBrowsers(cookies, ["new", "old"]);
  const again = browsers.identify(pairOf(old.cookie));
  assert.equal(again.browserHash, old.browserHash);
  assert.deepEqual(createBrowsers(cookies, ["new"]).hashesOf(pairOf(again.cookie)), [
    old.browserHash,
  ]);
});

Deno.test("hashesOf reads a limited number of cookies", () => {
  const browsers = createBrowsers(cookies, ["key"]);
  const pairs = Array.from({ length: 30 }, () => pairOf(browsers.identify(null).cookie));
  assert.equal(browsers.hashesOf(pairs.join("; ")).length, 20);
});

Deno.test("hashesOf ignores cookies without the host prefix on https", () => {
  const browsers = createBrowsers(createCookies("https://api.example.com"), ["key"]);
  const { cookie, browserHash } = browsers.identify(null);
  const pair = pairOf(cookie);
  assert.ok(pair.startsWith("__Host-"));
  assert.deepEqual(browsers.hashesOf(pair), [browserHash]);
  assert.deepEqual(browsers.hashesOf(pair.replace("__Host-", "")), []);
});
