import type { ByteRange } from "../files/blobs.ts";
import { RANGES_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

const INT_RANGE = /^(\d+)-(\d*)$/;
const SUFFIX_RANGE = /^-(\d+)$/;

/**
 * The parts of `bytes` that a `Range` header asks for, in ascending order, with those joined that
 * touch: however many are asked for, no byte is sent twice. Null where nothing is asked of us: the
 * unit is another. Throws `RANGE_NOT_SATISFIABLE` for ranges that are malformed, too many, or all
 * beyond the end.
 */
export function readRanges(header: string, bytes: number): ByteRange[] | null {
  const [, list] = /^\s*bytes\s*=(.*)$/is.exec(header) ?? [];
  if (list === undefined) return null;
  const refused = new Problem("RANGE_NOT_SATISFIABLE", { fileBytes: bytes });
  const specs = list.split(",", RANGES_MAX + 1).map((spec) => spec.trim());
  if (specs.length > RANGES_MAX) throw refused;
  const ranges: ByteRange[] = [];
  for (const spec of specs.filter((spec) => spec !== "")) {
    const range = readRange(spec, bytes);
    if (range === null) throw refused;
    if (range.length > 0) ranges.push(range);
  }
  if (ranges.length === 0) throw refused;
  return joined(ranges);
}

/** Of no length where it lies beyond the end; null where it is none. */
function readRange(spec: string, bytes: number): ByteRange | null {
  const [, suffix] = SUFFIX_RANGE.exec(spec) ?? [];
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), bytes);
    return { offset: bytes - length, length };
  }
  const [, first, last] = INT_RANGE.exec(spec) ?? [];
  if (first === undefined) return null;
  const offset = Math.min(Number(first), bytes);
  const end = last === "" ? bytes - 1 : Number(last);
  if (end < Number(first) && last !== "") return null;
  return { offset, length: Math.min(end, bytes - 1) - offset + 1 };
}

function joined(ranges: readonly ByteRange[]): ByteRange[] {
  const out: ByteRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.offset - b.offset)) {
    const before = out.at(-1);
    const end = range.offset + range.length;
    if (before === undefined || before.offset + before.length < range.offset) out.push(range);
    else if (end > before.offset + before.length) {
      out[out.length - 1] = { offset: before.offset, length: end - before.offset };
    }
  }
  return out;
}
