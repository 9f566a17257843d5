import assert from "node:assert/strict";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";

Deno.test("pages are in the language of the browser, or in the selected one", async () => {
  await using app = await openTestApp();
  const { cookie } = await openAccount(app);
  const langOf = async (headers: Record<string, string>) => {
    const { text } = await app.send({ path: "/dashboard", headers: { cookie, ...headers } });
    return /<html lang="(\w+)">/.exec(text)![1];
  };
  assert.equal(await langOf({}), "en");
  assert.equal(await langOf({ "accept-language": "fr, de-AT;q=0.5" }), "de");
  assert.equal(await langOf({ "accept-language": "fr" }), "en");

  const choose = (language: string, referer: string) =>
    app.send({
      method: "POST",
      path: "/dashboard/language",
      headers: { "content-type": "application/x-www-form-urlencoded", referer },
      body: `language=${language}`,
    });
  const chosen = await choose("de", "http://localhost:8000/dashboard/account");
  assert.deepEqual([chosen.status, chosen.headers.get("location")], [303, "/dashboard/account"]);
  const [kept] = chosen.headers.getSetCookie();
  assert.match(kept!, /^corbel_language=de;.*HttpOnly; SameSite=Lax/);
  assert.equal(
    await langOf({ cookie: `${cookie}; corbel_language=de`, "accept-language": "en" }),
    "de",
  );
  assert.equal(
    await langOf({ cookie: `${cookie}; corbel_language=xx`, "accept-language": "de" }),
    "de",
  );

  const away = await choose("xx", "https://elsewhere.example/dashboard");
  assert.equal(away.headers.get("location"), "/dashboard");
  assert.match(away.headers.getSetCookie()[0]!, /^corbel_language=; Path=\/; Max-Age=0/);
});

Deno.test("refusals are pages in the reader's language", async () => {
  await using app = await openTestApp();
  const { text } = await app.send({
    path: "/dashboard/nothing",
    headers: { "accept-language": "de" },
  });
  assert.match(text, /<html lang="de">/);
});
