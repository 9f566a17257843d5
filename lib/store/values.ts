/** Values as records hold them and as they travel in JSON. */

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A value that can be compared. Dates travel as ISO 8601 text in UTC with milliseconds. */
export type Scalar = string | number | boolean | null;

/** 24 hexadecimal digits, lower case. */
export type Id = string;

export type StoredRecord = { _id: Id; [name: string]: Json };
