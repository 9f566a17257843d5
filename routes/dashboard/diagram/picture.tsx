import type { Reference } from "@/lib/documents/definition.ts";
import { collectionPath } from "../collections/bar.tsx";
import { texts } from "../texts/mod.ts";
import { type Box, layOut, type Line, type Point } from "./layout.ts";

export interface ReferringCollection {
  readonly name: string;
  readonly references: readonly Reference[];
}

const USERS = "users";
/** Dimensions in pixels. */
const ROW_HEIGHT = 20;
const HEAD_HEIGHT = 30;
const PADDING = 10;
/** Approximate width of a character in pixels. */
const CHARACTER_WIDTH = 7.4;
/** Characters that are up to twice as wide. */
const WIDE_CHARACTERS = /[MWmw@%]/g;
const TEXT_LENGTH_MAX = 26;
/** Maximum number of fields in a box and in the title of a line. */
const FIELDS_SHOWN = 12;
/** Maximum number of lines in the picture. The table has all references. */
const LINES_MAX = 600;

interface ReferenceLine extends Line {
  readonly fields: readonly string[];
}

const shorten = (text: string): string =>
  text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX - 1)}…` : text;

const widthOf = (text: string): number =>
  (text.length + (text.match(WIDE_CHARACTERS)?.length ?? 0)) * CHARACTER_WIDTH;

/** Returns the first texts and the number of the others. */
function limitTexts(all: readonly string[]): string[] {
  const more = all.length - FIELDS_SHOWN;
  return more > 0 ? [...all.slice(0, FIELDS_SHOWN), texts().diagram.more(more)] : [...all];
}

const boxRows = ({ references }: ReferringCollection): string[] =>
  limitTexts(references.map(({ path, collection }) => shorten(`${path} → ${collection}`)));

function boxOf(one: ReferringCollection): Box {
  const rows = boxRows(one);
  const widest = Math.max(...[shorten(one.name), ...rows].map(widthOf));
  const height = HEAD_HEIGHT + (rows.length > 0 ? rows.length * ROW_HEIGHT + PADDING : 0);
  return { name: one.name, width: Math.ceil(widest) + 2 * PADDING, height };
}

function referenceLines({ name, references }: ReferringCollection): ReferenceLine[] {
  const byTarget = Map.groupBy(references, ({ collection }) => collection);
  return [...byTarget].map(([to, those]) => ({
    from: name,
    to,
    fields: those.map(({ path }) => path),
  }));
}

export const Picture = (
  { collections, home }: { collections: readonly ReferringCollection[]; home: string },
) => {
  const reaches = collections.flatMap(referenceLines).slice(0, LINES_MAX);
  const names = new Set(collections.map(({ name }) => name));
  // References may lead to users and to deleted collections.
  const others = [...new Set(reaches.map(({ to }) => to))].filter((name) => !names.has(name))
    .map((name) => ({ name, references: [] }));
  const all: readonly ReferringCollection[] = [...collections, ...others];
  const t = texts().diagram;
  const { width, height, corners, lines } = layOut(all.map(boxOf), reaches);
  const address = (name: string): string | null => {
    if (names.has(name)) return collectionPath(home, name);
    return name === USERS ? `${home}/users` : null;
  };
  return (
    <div class="scroll" role="region" aria-label={t.title} tabindex={0}>
      <svg
        class="diagram"
        width={Math.ceil(width)}
        height={Math.ceil(height)}
        viewBox={`0 0 ${Math.ceil(width)} ${Math.ceil(height)}`}
        role="group"
        aria-label={t.picture}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {lines.map(({ line, points }) => <Arrow line={line} points={points} />)}
        {all.map((one) => (
          <BoxView one={one} corner={corners.get(one.name)!} href={address(one.name)} />
        ))}
      </svg>
    </div>
  );
};

const Arrow = (
  { line: { from, to, fields }, points }: { line: ReferenceLine; points: readonly Point[] },
) => (
  <path class="line" marker-end="url(#arrow)" d={pathOf(points)}>
    <title>{`${from} → ${to}: ${limitTexts(fields).join(", ")}`}</title>
  </path>
);

const at = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Returns a curve through the midpoints between points, with the points as control points. */
function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const bends = rest.slice(0, -1).map((point, i) => {
    const next = rest[i + 1]!;
    const end = i === rest.length - 2 ? next : middle(point, next);
    return `Q${at(point)} ${at(end)}`;
  });
  return `M${at(first!)}${bends.length > 0 ? bends.join("") : `L${at(rest.at(-1)!)}`}`;
}

const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

const BoxView = (
  { one, corner: { x, y }, href }: { one: ReferringCollection; corner: Point; href: string | null },
) => {
  const { width, height } = boxOf(one);
  const box = (
    <g transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
      <rect class={href === null ? "box gone" : "box"} width={width} height={height} rx="6" />
      <text class="head" x={PADDING} y="20">{shorten(one.name)}</text>
      {boxRows(one).map((row, i) => (
        <text x={PADDING} y={HEAD_HEIGHT + PADDING + i * ROW_HEIGHT + 4}>{row}</text>
      ))}
    </g>
  );
  return href === null ? box : <a href={href}>{box}</a>;
};
