/** Values of records and of JSON. */

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A comparable value. Dates are ISO 8601 texts in UTC with milliseconds. */
export type Scalar = string | number | boolean | null;

/** 24 hexadecimal digits, lower case. */
export type Id = string;

export type StoredRecord = { _id: Id; [name: string]: Json };
