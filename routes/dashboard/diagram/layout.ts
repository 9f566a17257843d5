import dagre from "@dagrejs/dagre";

export interface Box {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** A line from one box to another box or to itself. */
export interface Line {
  readonly from: string;
  readonly to: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout<L extends Line> {
  readonly width: number;
  readonly height: number;
  /** Upper left corners of the boxes by name. */
  readonly corners: ReadonlyMap<string, Point>;
  readonly lines: readonly { readonly line: L; readonly points: readonly Point[] }[];
}

/** Dimensions in pixels. */
const MARGIN = 16;
const GAP = 24;
/** Pixels between columns, where lines bend. */
const COLUMN_GAP = 56;
/** Minimum width in pixels of the rows of boxes without lines. */
const ROW_WIDTH = 900;

/** Places boxes in columns, left of those to which their lines lead, and others in rows below. */
export function layOut<L extends Line>(boxes: readonly Box[], lines: readonly L[]): Layout<L> {
  const connected = new Set(lines.flatMap(({ from, to }) => from === to ? [] : [from, to]));
  const graph = new dagre.graphlib.Graph();
  const options = { rankdir: "LR", marginx: MARGIN, marginy: MARGIN };
  graph.setGraph({ ...options, nodesep: GAP, ranksep: COLUMN_GAP });
  for (const { name, width, height } of boxes) {
    if (connected.has(name)) graph.setNode(name, { width, height });
  }
  const between = lines.filter(({ from, to }) => from !== to);
  for (const { from, to } of between) graph.setEdge(from, to, {});
  if (connected.size > 0) dagre.layout(graph);
  const { width = 0, height = 0 } = connected.size > 0 ? graph.graph() : {};
  const corners = new Map<string, Point>();
  for (const box of boxes) {
    if (!connected.has(box.name)) continue;
    const { x, y } = graph.node(box.name);
    corners.set(box.name, { x: x - box.width / 2, y: y - box.height / 2 });
  }
  const unconnected = boxes.filter(({ name }) => !connected.has(name));
  const size = placeInRows(unconnected, corners, { width, height });
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

/** Adds the corners of boxes in rows below `above`. Returns the total size. */
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
