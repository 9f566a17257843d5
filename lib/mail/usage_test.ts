import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { countMails, getMailsThisMonth, uncountMails } from "./usage.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";

Deno.test("countMails does not exceed the limit for 50 concurrent calls", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const counts = await Promise.all(
    Array.from({ length: 50 }, () => countMails(services, PROJECT, { count: 2, limit: 51 })),
  );
  const counted = counts.filter((one) => one !== null);
  assert.equal(counted.length, 25);
  assert.deepEqual(
    counted.map(({ used }) => used).toSorted((a, b) => a - b),
    Array.from({ length: 25 }, (_, index) => 2 * index + 2),
  );
  assert.equal(await getMailsThisMonth(services, PROJECT), 50);
  assert.equal(await countMails(services, PROJECT, { count: 2, limit: 51 }), null);
  assert.equal((await countMails(services, PROJECT, { count: 1, limit: 51 }))!.used, 51);
});

Deno.test("uncountMails subtracts 50 concurrent calls and never goes below 0", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { month } = (await countMails(services, PROJECT, { count: 30, limit: 30 }))!;
  assert.equal(month, "2026-01");
  const back = { month, count: 1 };
  await Promise.all(Array.from({ length: 50 }, () => uncountMails(services, PROJECT, back)));
  assert.equal(await getMailsThisMonth(services, PROJECT), 0);
});

Deno.test("countMails refuses more mails than the limit in the first call of a month", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  assert.equal(await countMails(services, PROJECT, { count: 3, limit: 2 }), null);
  assert.equal(await getMailsThisMonth(services, PROJECT), 0);
});
