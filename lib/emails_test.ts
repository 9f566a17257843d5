import assert from "node:assert/strict";
import { canonicalEmail, isPlainEmail, isSameMailbox, storedForms } from "./emails.ts";

const ANN = "ann.x@example.com";

Deno.test("canonicalEmail is equal for any letter case and compatible spelling", () => {
  const spellings = [
    "Ann.X@Example.COM",
    "ＡＮＮ.ｘ@ｅxample.com",
    "ann.x@ex\u{1D41A}mple.com",
    "ann\u2024x@example.com",
  ];
  for (const spelling of spellings) assert.equal(canonicalEmail(spelling), ANN, spelling);
  assert.equal(canonicalEmail("\u212Aate@example.com"), "kate@example.com");
  assert.equal(canonicalEmail("o\uFB03ce@example.com"), "office@example.com");
  assert.equal(canonicalEmail("JU\u0308RGEN@köln.de"), "jürgen@xn--kln-sna.de");
});

Deno.test("canonicalEmail is equal for an international domain in ASCII and Unicode", () => {
  const ada = "ada@xn--bcher-kva.example";
  const spellings = [
    "ada@bücher.example",
    "ADA@BÜCHER.example",
    "ada@bu\u0308cher.example",
    "ada@XN--BCHER-KVA.example",
    "ada@bücher\u3002example",
    " ada@bücher.example\t",
    "\nada@xn--bcher-kva.example ",
  ];
  for (const spelling of spellings) {
    assert.equal(canonicalEmail(spelling), ada, JSON.stringify(spelling));
    assert.deepEqual(storedForms(spelling).toSorted(), ["ada@bücher.example", ada]);
  }
  assert.equal(storedForms("ada@bücher.example")[0], "ada@bücher.example");
  assert.equal(storedForms(ada)[0], ada);
  assert.deepEqual(storedForms("Ada@example.com "), ["ada@example.com"]);
  // A text that cannot be a domain is compared unchanged.
  for (const email of ["ada@xn--a.example", "ada@b%FCcher.example", "ada"]) {
    assert.equal(canonicalEmail(email), email.toLowerCase());
  }
});

Deno.test("isSameMailbox is true for a domain in ASCII and Unicode", () => {
  assert.ok(isSameMailbox("ada@bücher.example", "Ada@xn--bcher-kva.EXAMPLE"));
  assert.ok(isSameMailbox(" ada@bücher.example", "ada@bücher.example"));
  // A domain that must be normalized first may be another mailbox.
  for (const other of ["ada@ｂücher.example", "ada@bucher.example", "äda@xn--bcher-kva.example"]) {
    assert.equal(isSameMailbox(other, "ada@bücher.example"), false, other);
  }
});

Deno.test("canonicalEmail ignores invisible characters", () => {
  const invisible = [
    ..."\u200B\u200C\u200D\u2060\uFEFF\u00AD\u034F\u061C\u115F\u180E\u2800",
    ..."\u200E\u200F\u202A\u202E\u2066\u2069",
    ..."\uFE00\uFE0F\u{E0001}\u{E0041}\u{E0100}",
  ];
  for (const mark of invisible) {
    const code = mark.codePointAt(0)!.toString(16);
    assert.equal(canonicalEmail(`an${mark}n.x@example.com`), ANN, code);
    assert.equal(canonicalEmail(`${mark}ann.x@example.com${mark}`), ANN, code);
  }
});

Deno.test("canonicalEmail is idempotent", () => {
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const once = canonicalEmail(`a${String.fromCodePoint(point)}b@c`);
    if (canonicalEmail(once) !== once) assert.fail(`U+${point.toString(16)}`);
    const domain = canonicalEmail(`a@b${String.fromCodePoint(point)}c.d`);
    if (canonicalEmail(domain) !== domain) assert.fail(`domain with U+${point.toString(16)}`);
    if (
      point >= 0x20 && point <= 0x7e && once !== `a${String.fromCharCode(point)}b@c`.toLowerCase()
    ) {
      assert.fail(`plain U+${point.toString(16)}`);
    }
  }
});

Deno.test("isSameMailbox compares exact letters, except for the case of A to Z", () => {
  assert.ok(isSameMailbox("Ann.X@Example.COM", ANN));
  for (const other of ["\u212Aate@x.com", "\u017Fam@x.com", "k\u200Bate@x.com", "ｋate@x.com"]) {
    const plain = canonicalEmail(other);
    assert.equal(canonicalEmail(plain), plain);
    assert.equal(isSameMailbox(other, plain), false, other);
  }
});

Deno.test("isPlainEmail requires that the canonical form is plain too", () => {
  for (const email of [ANN, "jürgen@köln.de", "ａnn@example.com", "an\u200Bn@example.com", "a@b"]) {
    assert.ok(isPlainEmail(email), email);
  }
  const wrong = [
    "",
    "\u200B@example.com",
    "ann@\u00AD",
    "a＠b@example.com",
    "a\uFF0Cb@example.com",
    "a\x00nn@example.com",
    "ann@example.com\x9F",
    "\uFDFA".repeat(4) + "@example.com",
    "\ud800@example.com",
    "Ann <ann@example.com>",
  ];
  for (const email of wrong) assert.equal(isPlainEmail(email), false, JSON.stringify(email));
});

Deno.test("canonicalEmail does not normalize a text that is too long", () => {
  const longest = `${"Ａ".repeat(64)}@${"b".repeat(190)}`;
  assert.equal(canonicalEmail(longest), `${"a".repeat(64)}@${"b".repeat(190)}`);
  const longer = `${longest}B`;
  assert.equal(canonicalEmail(longer), longer);
});
