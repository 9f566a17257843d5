import type { Clock } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Number of recipients of a project's mails by the platform's server in a month. */
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

export interface CountedMails {
  /** Month in which the mails are counted, in UTC, such as `2026-01`. */
  readonly month: string;
  /** Number of mails that are counted in the month now. */
  readonly used: number;
}

const monthOf = (clock: Clock): string => new Date(clock.now()).toISOString().slice(0, 7);

const usageIdOf = (projectId: Id, month: string): Id => hashedId(`mails ${projectId} ${month}`);

const usageRecords = ({ engine }: Pick<UsageServices, "engine">) =>
  engine.records<MailUsageRecord>("control", MAIL_USAGE);

export async function getMailsThisMonth(services: UsageServices, projectId: Id): Promise<number> {
  const found = await usageRecords(services).get(usageIdOf(projectId, monthOf(services.clock)));
  return found?.value.count ?? 0;
}

/** Counts mails, atomically; null, without counting, if the sum would exceed `limit`. */
export async function countMails(
  services: UsageServices,
  projectId: Id,
  { count, limit }: { readonly count: number; readonly limit: number },
): Promise<CountedMails | null> {
  if (count > limit) return null;
  const month = monthOf(services.clock);
  const _id = usageIdOf(projectId, month);
  const hasRoom = and(eq("_id", _id), compare("count", "lte", limit - count));
  const first = { _id, projectId, month, count };
  try {
    const { value } = await usageRecords(services).upsert(hasRoom, { increment: { count } }, first);
    return { month, used: value.count };
  } catch (error) {
    if (error instanceof UniqueViolation) return null;
    throw error;
  }
}

/** Subtracts mails that were not sent from the count of their month. */
export async function uncountMails(
  services: Pick<UsageServices, "engine">,
  projectId: Id,
  { month, count }: { readonly month: string; readonly count: number },
): Promise<void> {
  const hasCount = and(eq("_id", usageIdOf(projectId, month)), compare("count", "gte", count));
  await usageRecords(services).updateOne(hasCount, { increment: { count: -count } });
}
