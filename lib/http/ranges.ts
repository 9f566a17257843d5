import { combineRanges, parse } from "range-parser";
import { RANGES_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

/** A part of an object, from `offset` in bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Bit of the parser's code that is set if any of the ranges is malformed. */
const MALFORMED = 1;

/** Joins ranges, to send bytes once. Null for other units. Throws `RANGE_NOT_SATISFIABLE`. */
export function readRanges(header: string, bytes: number): ByteRange[] | null {
  const refused = () => new Problem("RANGE_NOT_SATISFIABLE", { fileBytes: bytes });
  if (!/^\s*bytes\s*=/i.test(header)) return null;
  if (header.split(",", RANGES_MAX + 1).length > RANGES_MAX) throw refused();
  const { code, ranges } = parse(bytes, header);
  if ((code & MALFORMED) !== 0 || ranges.length === 0) throw refused();
  return combineRanges(ranges)
    .map(({ start, end }) => ({ offset: start, length: end - start + 1 }))
    .sort((a, b) => a.offset - b.offset);
}
