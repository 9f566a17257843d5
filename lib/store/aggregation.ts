/** Aggregation of records, as a part of the storage port. */

/** A calendar interval. Weeks begin on Monday. */
export type Bucket = "hour" | "day" | "week" | "month" | "year";

/** A key to group records by. Missing and null values count as one value, null. */
export interface GroupKey {
  /** The path of a declared scalar, or `_id`. */
  readonly path: string;
  /** The calendar interval by which a declared date is grouped; the exact date by default. */
  readonly bucket?: {
    readonly unit: Bucket;
    /** An IANA time zone name that this process supports. */
    readonly timeZone: string;
  };
}

/** A figure of a group. Records with a missing or null value are ignored. */
export type Figure =
  | { readonly op: "count" }
  | { readonly op: "sum" | "avg"; readonly path: string }
  /** Figures of declared numbers or dates. */
  | { readonly op: "min" | "max"; readonly path: string };

export interface GroupSort {
  readonly of: "key" | "figure";
  readonly index: number;
  readonly descending: boolean;
}

export interface Group {
  /**
   * Key values in the order of the query's keys. The value of an interval is its first moment. An
   * hour begins at the full hour of the zone's clock, as the clock was set at the time of the
   * records.
   */
  readonly keys: readonly (string | number | boolean | null)[];
  /**
   * Figures in the order of the query's figures. The sum of no values is 0; any other figure of no
   * values is null, and so is a result that is not a finite number. Sums of integers up to 2^53 are
   * exact; the last digit of other sums may depend on the engine and on the order of the records.
   * Never -0.
   */
  readonly figures: readonly (number | string | null)[];
}

export interface Groups {
  readonly groups: readonly Group[];
  /** Whether there are more groups than the limit. */
  readonly more: boolean;
}
