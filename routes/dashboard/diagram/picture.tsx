import type { Reference } from "@/lib/documents/definition.ts";
import { collectionPath } from "../collections/bar.tsx";
import { texts } from "../texts/mod.ts";
import { type Box, layoutOf, type Line, type Point } from "./layout.ts";

/** A collection with the fields that refer to others. */
export interface Referring {
  readonly name: string;
  readonly references: readonly Reference[];
}

const USERS = "users";
const ROW = 20;
const HEAD = 30;
const PAD = 10;
/** Of a character of the texts in boxes, nearly; longer texts end with "…". */
const CHARACTER = 7.4;
/** Characters that are up to twice as wide. */
const WIDE = /[MWmw@%]/g;
const TEXT_LENGTH_MAX = 26;
/** Fields that a box shows, and that the title of a line names. */
const FIELDS_SHOWN = 12;
/** Lines that are drawn; the table has all references. */
const LINES_MAX = 600;

/** All references of a collection to one other. */
interface Reach extends Line {
  readonly fields: readonly string[];
}

const shortened = (text: string): string =>
  text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX - 1)}…` : text;

const widthOf = (text: string): number =>
  (text.length + (text.match(WIDE)?.length ?? 0)) * CHARACTER;

/** The first of some texts, and how many more there are. */
function firstOf(all: readonly string[]): string[] {
  const more = all.length - FIELDS_SHOWN;
  return more > 0 ? [...all.slice(0, FIELDS_SHOWN), texts().diagram.more(more)] : [...all];
}

/** The texts in a box below its name. */
const rowsOf = ({ references }: Referring): string[] =>
  firstOf(references.map(({ path, collection }) => shortened(`${path} → ${collection}`)));

function boxOf(one: Referring): Box {
  const rows = rowsOf(one);
  const widest = Math.max(...[shortened(one.name), ...rows].map(widthOf));
  const height = HEAD + (rows.length > 0 ? rows.length * ROW + PAD : 0);
  return { name: one.name, width: Math.ceil(widest) + 2 * PAD, height };
}

/** One line for each collection that another refers to, by however many fields. */
function reachesOf({ name, references }: Referring): Reach[] {
  const byTarget = Map.groupBy(references, ({ collection }) => collection);
  return [...byTarget].map(([to, those]) => ({
    from: name,
    to,
    fields: those.map(({ path }) => path),
  }));
}

/** Collections as boxes, which are links, with a line to each other one that they refer to. */
export const Picture = (
  { collections, home }: { collections: readonly Referring[]; home: string },
) => {
  const reaches = collections.flatMap(reachesOf).slice(0, LINES_MAX);
  const names = new Set(collections.map(({ name }) => name));
  // Users are no collection, and one that was deleted is none any more.
  const others = [...new Set(reaches.map(({ to }) => to))].filter((name) => !names.has(name))
    .map((name) => ({ name, references: [] }));
  const all: readonly Referring[] = [...collections, ...others];
  const t = texts().diagram;
  const { width, height, corners, lines } = layoutOf(all.map(boxOf), reaches);
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
  { line: { from, to, fields }, points }: { line: Reach; points: readonly Point[] },
) => (
  <path class="line" marker-end="url(#arrow)" d={pathOf(points)}>
    <title>{`${from} → ${to}: ${firstOf(fields).join(", ")}`}</title>
  </path>
);

const at = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Through the middle of each two points, with the points as what bends it. */
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
  { one, corner: { x, y }, href }: { one: Referring; corner: Point; href: string | null },
) => {
  const { width, height } = boxOf(one);
  const box = (
    <g transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
      <rect class={href === null ? "box gone" : "box"} width={width} height={height} rx="6" />
      <text class="head" x={PAD} y="20">{shortened(one.name)}</text>
      {rowsOf(one).map((row, i) => <text x={PAD} y={HEAD + PAD + i * ROW + 4}>{row}</text>)}
    </g>
  );
  return href === null ? box : <a href={href}>{box}</a>;
};
