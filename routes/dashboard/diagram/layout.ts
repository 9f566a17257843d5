import dagre from "@dagrejs/dagre";

/** What is drawn as a box, of a size that what stands in it needs. */
export interface Box {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** From one box to another, or to itself. */
export interface Line {
  readonly from: string;
  readonly to: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where all of it stands. */
export interface Layout<L extends Line> {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each box, by its name. */
  readonly corners: ReadonlyMap<string, Point>;
  readonly lines: readonly { readonly line: L; readonly points: readonly Point[] }[];
}

const MARGIN = 16;
const GAP = 24;
/** Between columns: lines turn there. */
const COLUMN_GAP = 56;
/** Boxes without lines stand in rows below, as wide as this or as all others together. */
const ROW_WIDTH = 900;

/**
 * Boxes in columns, each left of those that its lines lead to, and below them in rows those without
 * lines. The same boxes in the same order always stand in the same places.
 */
export function layoutOf<L extends Line>(
  boxes: readonly Box[],
  lines: readonly L[],
): Layout<L> {
  const joined = new Set(lines.flatMap(({ from, to }) => from === to ? [] : [from, to]));
  const graph = new dagre.graphlib.Graph();
  const options = { rankdir: "LR", marginx: MARGIN, marginy: MARGIN };
  graph.setGraph({ ...options, nodesep: GAP, ranksep: COLUMN_GAP });
  for (const { name, width, height } of boxes) {
    if (joined.has(name)) graph.setNode(name, { width, height });
  }
  const between = lines.filter(({ from, to }) => from !== to);
  for (const { from, to } of between) graph.setEdge(from, to, {});
  if (joined.size > 0) dagre.layout(graph);
  const { width = 0, height = 0 } = joined.size > 0 ? graph.graph() : {};
  const corners = new Map<string, Point>();
  for (const box of boxes) {
    if (!joined.has(box.name)) continue;
    const { x, y } = graph.node(box.name);
    corners.set(box.name, { x: x - box.width / 2, y: y - box.height / 2 });
  }
  const apart = boxes.filter(({ name }) => !joined.has(name));
  const size = placeInRows(apart, corners, { width, height });
  return {
    ...size,
    corners,
    lines: between.map((line) => ({ line, points: graph.edge(line.from, line.to).points })),
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Adds the corners of boxes below what is there; resolves to the size of all. */
function placeInRows(boxes: readonly Box[], corners: Map<string, Point>, above: Size): Size {
  const right = Math.max(above.width, ROW_WIDTH);
  let [x, y, rowHeight, width] = [MARGIN, Math.max(above.height, MARGIN), 0, above.width];
  for (const box of boxes) {
    if (x > MARGIN && x + box.width + MARGIN > right) {
      [x, y, rowHeight] = [MARGIN, y + rowHeight + GAP, 0];
    }
    corners.set(box.name, { x, y });
    width = Math.max(width, x + box.width + MARGIN);
    rowHeight = Math.max(rowHeight, box.height);
    x += box.width + GAP;
  }
  return { width, height: boxes.length === 0 ? above.height : y + rowHeight + MARGIN };
}
