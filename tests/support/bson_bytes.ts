/** Builds BSON byte by byte, including BSON that no library writes. */

export const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)];

export const int32 = (value: number): number[] => [...new Uint8Array(Int32Array.of(value).buffer)];

export const int64 = (value: bigint): number[] => {
  return [...new Uint8Array(BigInt64Array.of(value).buffer)];
};

export const string = (text: number[]): number[] => [...int32(text.length + 1), ...text, 0];

/** Encodes a member of a document or an element of an array, of any type. */
export const member = (type: number, name: string | number[], value: number[]): number[] => [
  type,
  ...(typeof name === "string" ? utf8(name) : name),
  0,
  ...value,
];

export const body = (...members: number[][]): number[] => {
  const inner = members.flat();
  return [...int32(inner.length + 5), ...inner, 0];
};

export const bytes = (...members: number[][]): Uint8Array => Uint8Array.from(body(...members));

/** Builds nested documents (type 3) or arrays (type 4) without building each level separately. */
export function nested(levels: number, type: (level: number) => number): Uint8Array {
  const [name] = utf8("a");
  const before = 4 + 1 + 2; // The length, then the type and the name of the next level.
  const around = before + 1;
  const out = new Uint8Array(levels * around + 5);
  const view = new DataView(out.buffer);
  for (let level = 0; level <= levels; level++) {
    const start = level * before;
    view.setInt32(start, out.length - level * around, true);
    if (level < levels) out.set([type(level), name!, 0], start + 4);
  }
  return out;
}
