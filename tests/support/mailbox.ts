import assert from "node:assert/strict";
import { type MailRecord, MAILS } from "@/lib/mail/mails.ts";
import type { Services } from "@/lib/services.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Space } from "@/lib/store/port.ts";

/** Mails of a space, the oldest first, once all that was begun has been done. */
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

/** The code of the newest mail to an address. */
export async function codeTo(
  services: Pick<Services, "engine" | "jobRunner">,
  space: Space,
  to: string,
): Promise<string> {
  const mail = (await mailsOf(services, space, to)).findLast(({ hasCode }) => hasCode);
  const [code] = /\b\d{6}\b/.exec(mail?.text ?? "") ?? [];
  assert.ok(code !== undefined, `There is no code in a mail to ${to}`);
  return code;
}
