import { combineRanges, parse } from "range-parser";
import { RANGES_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

/** A part of an object: `length` bytes from `offset`, both within the object. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** A bit of the parser's code: at least one of the ranges is none. */
const MALFORMED = 1;

/**
 * The parts of `bytes` that a `Range` header asks for, in ascending order, with those joined that
 * touch: however many are asked for, no byte is sent twice. Null where nothing is asked of us: the
 * unit is another. Throws `RANGE_NOT_SATISFIABLE` for ranges that are malformed, too many, or all
 * beyond the end.
 */
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
