/** The order of UTF-8's bytes; JavaScript's own puts pairs of surrogates before U+E000 and later. */
export function byCodePoints(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1);
}
