import assert from "node:assert/strict";
import { type MailRecord, MAILS } from "@/lib/mail/mails.ts";
import type { Services } from "@/lib/services.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Space } from "@/lib/store/port.ts";

/** Returns the mails of a space, oldest first, after all jobs have finished. */
export async function mailsOf(
  { engine, jobRunner }: Pick<Services, "engine" | "jobRunner">,
  space: Space,
  to?: string,
): Promise<MailRecord[]> {
  await jobRunner.idle();
  const filter = to === undefined ? ALL : eq("to", to);
  const mails: MailRecord[] = [];
  for await (const mail of engine.records<MailRecord>(space, MAILS).find({ filter })) {
    mails.push(mail);
  }
  return mails;
}

/** Returns the code in the newest mail to an address. */
export async function codeTo(
  services: Pick<Services, "engine" | "jobRunner">,
  space: Space,
  to: string,
): Promise<string> {
  const mail = (await mailsOf(services, space, to)).findLast(({ hasCode }) => hasCode);
  const [code] = /\b\d{6}\b/.exec(mail?.text ?? "") ?? [];
  assert.ok(code !== undefined, `No mail has a code for ${to}`);
  return code;
}
