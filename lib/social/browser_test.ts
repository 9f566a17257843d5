import assert from "node:assert/strict";
import { createCookies } from "../http/cookies.ts";
import { createBrowsers } from "./browser.ts";

const cookies = createCookies("http://localhost:8000");
const pairOf = ([, text]: readonly [string, string]) => text.split(";")[0]!;

Deno.test("a browser is known again by its cookie, and keeps it", () => {
  const browsers = createBrowsers(cookies, ["key"]);
  const first = browsers.recognise(null);
  const header = `theme=dark; ${pairOf(first.cookie)}; corbel_rt_1=x`;
  assert.deepEqual(browsers.hashesOf(header), [first.browserHash]);
  assert.deepEqual(browsers.recognise(header), first);
  assert.notEqual(browsers.recognise(null).browserHash, first.browserHash);
});

Deno.test("tabs that began at the same moment are all known", () => {
  const browsers = createBrowsers(cookies, ["key"]);
  const tabs = [browsers.recognise(null), browsers.recognise(null)];
  const header = tabs.map(({ cookie }) => pairOf(cookie)).join("; ");
  assert.deepEqual(browsers.hashesOf(header), tabs.map(({ browserHash }) => browserHash));
  assert.equal(browsers.recognise(header).browserHash, tabs[0]!.browserHash);
});

Deno.test("what we have not signed, or signed under another name or key, is no mark", () => {
  const browsers = createBrowsers(cookies, ["key"]);
  const pair = pairOf(browsers.recognise(null).cookie);
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

Deno.test("a mark signed by an older key of the ring is good, and signed anew by the first", () => {
  const old = createBrowsers(cookies, ["old"]).recognise(null);
  const browsers = createBrowsers(cookies, ["new", "old"]);
  const again = browsers.recognise(pairOf(old.cookie));
  assert.equal(again.browserHash, old.browserHash);
  assert.deepEqual(createBrowsers(cookies, ["new"]).hashesOf(pairOf(again.cookie)), [
    old.browserHash,
  ]);
});

Deno.test("of a great many cookies only some are looked at", () => {
  const browsers = createBrowsers(cookies, ["key"]);
  const pairs = Array.from({ length: 30 }, () => pairOf(browsers.recognise(null).cookie));
  assert.equal(browsers.hashesOf(pairs.join("; ")).length, 20);
});

Deno.test("on https no cookie without the prefix that binds it to the host is looked at", () => {
  const browsers = createBrowsers(createCookies("https://api.example.com"), ["key"]);
  const { cookie, browserHash } = browsers.recognise(null);
  const pair = pairOf(cookie);
  assert.ok(pair.startsWith("__Host-"));
  assert.deepEqual(browsers.hashesOf(pair), [browserHash]);
  assert.deepEqual(browsers.hashesOf(pair.replace("__Host-", "")), []);
});
