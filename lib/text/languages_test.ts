import assert from "node:assert/strict";
import { acceptedLanguages, bestLanguage, canonicalLanguage } from "./languages.ts";

Deno.test("acceptedLanguages sorts by quality and ignores invalid languages", () => {
  const table = [
    ["de", ["de"]],
    ["de-AT, en;q=0.5, fr;q=0.9", ["de-AT", "fr", "en"]],
    ["en;q=0, de", ["de"]],
    ["*, de;q=0.1", ["de"]],
    [" pt-BR ; q=0.8 ,en ", ["en", "pt-BR"]],
    ["de;q=2, x, de_AT, en-", []],
    ["", []],
    ["de,".repeat(30), Array(20).fill("de")],
    [`${"de,".repeat(200)}`, []],
  ] as const;
  for (const [header, languages] of table) assert.deepEqual(acceptedLanguages(header), languages);
  assert.deepEqual(acceptedLanguages(null), []);
});

Deno.test("bestLanguage prefers the same language, then a variant, then English, then any", () => {
  const table = [
    [["en", "de", "de-AT"], ["de-AT"], "de-AT"],
    [["en", "de"], ["de-AT"], "de"],
    [["en", "de-CH"], ["de-AT"], "de-CH"],
    [["en", "de-CH"], ["de"], "de-CH"],
    [["en", "de"], ["fr", "de"], "de"],
    [["de", "en"], ["fr"], "en"],
    [["de", "pt-BR"], ["fr"], "de"],
    [["pt-BR"], ["PT-br"], "pt-BR"],
    [[], ["de"], null],
  ] as const;
  for (const [languages, wanted, best] of table) {
    assert.equal(bestLanguage(languages, wanted), best, `${languages} ${wanted}`);
  }
});

Deno.test("canonicalLanguage returns one spelling of each language", () => {
  for (const [text, language] of [["EN", "en"], ["pt-br", "pt-BR"], ["zh-hans-cn", "zh-Hans-CN"]]) {
    assert.equal(canonicalLanguage(text!), language);
  }
  for (const text of ["", "e", "english", "en_US", "en-", "*", "../en", "en\n", "en-a-b-c-d"]) {
    assert.equal(canonicalLanguage(text), null, text);
  }
});
