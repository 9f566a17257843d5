import type { Clock } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * Mails of a project by the platform's server in a month, by recipients. In the control space. A
 * new month is a new record.
 */
export const MAIL_USAGE = recordKind({
  name: "mailUsage",
  fields: {
    projectId: field.ref,
    month: field.text,
    count: field.number,
  },
  indexes: [{ keys: [{ path: "projectId", descending: false }] }],
  trash: false,
});

type MailUsageRecord = RecordOf<typeof MAIL_USAGE>;

interface UsageServices {
  readonly engine: Engine;
  readonly clock: Clock;
}

/** Mails that are counted already. */
export interface CountedMails {
  /** `2026-01`, in UTC: what they are given back to. */
  readonly month: string;
  /** How many are counted in it now. */
  readonly used: number;
}

const monthOf = (clock: Clock): string => new Date(clock.now()).toISOString().slice(0, 7);

const idOf = (projectId: Id, month: string): Id => hashedId(`mails ${projectId} ${month}`);

const usageIn = ({ engine }: Pick<UsageServices, "engine">) =>
  engine.records<MailUsageRecord>("control", MAIL_USAGE);

/** How many mails of this month are counted. */
export async function mailsThisMonth(services: UsageServices, projectId: Id): Promise<number> {
  const found = await usageIn(services).get(idOf(projectId, monthOf(services.clock)));
  return found?.value.count ?? 0;
}

/**
 * Counts mails, if no more than `limit` are counted then: of many at once no more pass. Null, and
 * nothing is counted, where they would be too many.
 */
export async function countMails(
  services: UsageServices,
  projectId: Id,
  { count, limit }: { readonly count: number; readonly limit: number },
): Promise<CountedMails | null> {
  if (count > limit) return null;
  const month = monthOf(services.clock);
  const _id = idOf(projectId, month);
  const hasRoom = and(eq("_id", _id), compare("count", "lte", limit - count));
  const first = { _id, projectId, month, count };
  try {
    const { value } = await usageIn(services).upsert(hasRoom, { increment: { count } }, first);
    return { month, used: value.count };
  } catch (error) {
    if (error instanceof UniqueViolation) return null;
    throw error;
  }
}

/** Takes mails that nobody got from the count of their month. */
export async function uncountMails(
  services: Pick<UsageServices, "engine">,
  projectId: Id,
  { month, count }: { readonly month: string; readonly count: number },
): Promise<void> {
  const its = and(eq("_id", idOf(projectId, month)), compare("count", "gte", count));
  await usageIn(services).updateOne(its, { increment: { count: -count } });
}
