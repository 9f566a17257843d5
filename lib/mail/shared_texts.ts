import type { Clock } from "../clock.ts";
import { MAIL_LOG_MS, MAIL_TEXT_MS } from "../limits.ts";
import { and, compare, eq, within } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { MAIL_TEXTS, type MailRecord, MAILS, type MailTextRecord } from "./mails.ts";

/** Deletes shared texts of mails that are at least a day old and that no mail needs any more. */
export async function dropSharedTexts(
  { engine, clock }: { readonly engine: Engine; readonly clock: Clock },
  projectId: Id,
): Promise<void> {
  const texts = engine.records<MailTextRecord>(projectId, MAIL_TEXTS);
  const mails = engine.records<MailRecord>(projectId, MAILS);
  const expiresUntil = new Date(clock.now() + MAIL_LOG_MS - MAIL_TEXT_MS).toISOString();
  for await (const { _id } of texts.find({ filter: compare("expiresAt", "lte", expiresUntil) })) {
    // A failed mail may be sent again.
    const isNeeded = and(eq("textId", _id), within("state", ["queued", "failed"]));
    if (await mails.findOne(isNeeded) === null) await texts.deleteOne(eq("_id", _id));
  }
}
