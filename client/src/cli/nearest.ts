/** The most letters that two words may differ in, to be taken for each other. */
const DISTANCE_MAX = 3;

/** Which of the words was meant; null where none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  const near = known.map((one) => ({ one, distance: distance(word, one) }))
    .filter((one) => one.distance <= Math.min(DISTANCE_MAX, one.one.length - 1))
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.one ?? known.find((one) => word !== "" && one.startsWith(word)) ?? null;
}

/** How many letters are to be put in, left out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, changed));
    }
    row = next;
  }
  return row[b.length]!;
}
