import type { Bucket } from "../aggregation.ts";
import { bucketOf, offsetsOf } from "../calendar.ts";

/**
 * SQL's `bucket(unit, zone, date)`: SQLite knows no time zones. Null for what is no date. It must not
 * throw, or the process would hang: see `budget.ts`.
 */
export function bucketSql(unit: unknown, zone: unknown, date: unknown): number | null {
  try {
    const bucket = bucketOf(unit as Bucket, offsetsOf(String(zone)), Date.parse(String(date)));
    return Number.isNaN(bucket) ? null : bucket;
  } catch {
    return null;
  }
}
