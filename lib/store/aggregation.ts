/** Groups of records, as a part of the storage port. */

/** A stretch of the calendar. Weeks begin on Monday. */
export type Bucket = "hour" | "day" | "week" | "month" | "year";

/** What groups have in common: missing and null count as one value, null. */
export interface GroupKey {
  /** A declared scalar's path, or `_id`. */
  readonly path: string;
  /** Of a declared date: which stretch of the calendar it lies in, rather than the date itself. */
  readonly bucket?: {
    readonly unit: Bucket;
    /** An IANA name that this process knows. */
    readonly timeZone: string;
  };
}

/** A number of a group, or a date. Records in which the value is missing or null do not count. */
export type Figure =
  | { readonly op: "count" }
  /** Of declared numbers. */
  | { readonly op: "sum" | "avg"; readonly path: string }
  /** Of declared numbers or dates. */
  | { readonly op: "min" | "max"; readonly path: string };

/** Which of the keys, or which of the figures, groups are sorted by. */
export interface GroupSort {
  readonly of: "key" | "figure";
  readonly index: number;
  readonly descending: boolean;
}

export interface Group {
  /**
   * In the order of the keys. That of a bucket is the first moment that belongs to it; of an hour,
   * the moment at which a clock of the zone that shows what it showed then was at the full hour.
   */
  readonly keys: readonly (string | number | boolean | null)[];
  /**
   * In the order of the figures. The sum of nothing is 0, all else of nothing is null, and so is
   * what no finite number is. Sums of whole numbers up to 2^53 are exact; of others about the last
   * digit may differ from one engine, or one order of the records, to another. Never -0.
   */
  readonly figures: readonly (number | string | null)[];
}

export interface Groups {
  readonly groups: readonly Group[];
  /** Whether there are more than the limit. */
  readonly more: boolean;
}
