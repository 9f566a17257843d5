import type { Clock } from "../clock.ts";
import { MAIL_LOG_MS, MAIL_TEXT_MS } from "../limits.ts";
import { and, compare, eq, within } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { MAIL_TEXTS, type MailRecord, MAILS, type MailTextRecord } from "./mails.ts";

/** Removes the texts that mails share, a day after they were written and once no mail needs them. */
export async function dropSharedTexts(
  { engine, clock }: { readonly engine: Engine; readonly clock: Clock },
  projectId: Id,
): Promise<void> {
  const texts = engine.records<MailTextRecord>(projectId, MAIL_TEXTS);
  const mails = engine.records<MailRecord>(projectId, MAILS);
  const expiresUntil = new Date(clock.now() + MAIL_LOG_MS - MAIL_TEXT_MS).toISOString();
  for await (const { _id } of texts.find({ filter: compare("expiresAt", "lte", expiresUntil) })) {
    // One that has failed may be sent again.
    const isNeeded = and(eq("textId", _id), within("state", ["queued", "failed"]));
    if (await mails.findOne(isNeeded) === null) await texts.deleteOne(eq("_id", _id));
  }
}
