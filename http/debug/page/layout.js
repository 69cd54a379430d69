/** Where states and arrows go: dagre places what is inside each state, from the innermost outwards. */

/** @import { Arrow, Box, Diagram, DiagramEdge, DiagramNode, Drawing, Point } from './types.d.ts' */
import { Graph, layout } from './dagre.js';

const LINE = 15;
const PAD = 12;
const HEAD = 30;
const GAP = 12;
const DOT = 12;

/** @typedef {(text: string, font: 'name' | 'note') => number} Measure */

/**
 * The whole drawing. Regions of a parallel machine stand side by side, or below each other where `maxWidth` is narrow.
 * @param {Diagram} diagram
 * @param {Measure} measure
 * @param {number} maxWidth
 * @returns {Drawing}
 */
export function layOut(diagram, measure, maxWidth) {
  const [root] = diagram.nodes;
  if (root === undefined) throw new Error('a diagram without nodes');
  const regions = root.type === 'parallel' ? childrenOf(diagram, root) : [root];
  const columns = pack(
    regions.map((node) => place(diagram, node, measure)),
    maxWidth,
  );
  /** @type {Box[]} */
  const boxes = [];
  /** @type {Arrow[]} */
  const arrows = [];
  let x = 0;
  for (const column of columns) {
    let y = 0;
    for (const part of column) {
      // Regions of a column end together on the right, as one frame.
      const [own, ...inside] = part.boxes;
      if (own !== undefined) boxes.push(moved({ ...own, width: widthOf(column) }, x, y));
      const dx = x + (widthOf(column) - part.width) / 2;
      boxes.push(...inside.map((box) => moved(box, dx, y)));
      arrows.push(...part.arrows.map((arrow) => movedArrow(arrow, dx, y)));
      y += part.height + GAP;
    }
    x += widthOf(column) + GAP;
  }
  return { width: x - GAP, height: Math.max(...columns.map(heightOf)), boxes, arrows };
}

/** @param {readonly Drawing[]} column */
const widthOf = (column) => Math.max(...column.map(({ width }) => width));
/** @param {readonly Drawing[]} column */
const heightOf = (column) => column.reduce((sum, { height }) => sum + height + GAP, -GAP);

/**
 * The parts in columns, their order kept: the lowest drawing that is not wider than there is room, else one column.
 * @param {readonly Drawing[]} parts
 * @param {number} maxWidth
 * @returns {readonly (readonly Drawing[])[]}
 */
function pack(parts, maxWidth) {
  let best = [parts];
  for (let breaks = 1; breaks < 2 ** (parts.length - 1); breaks += 1) {
    /** @type {Drawing[][]} */
    const columns = [];
    for (const [index, part] of parts.entries()) {
      const startsColumn = index === 0 || (breaks >> (index - 1)) % 2 === 1;
      if (startsColumn) columns.push([part]);
      else columns.at(-1)?.push(part);
    }
    const width = columns.reduce((sum, column) => sum + widthOf(column) + GAP, -GAP);
    const height = Math.max(...columns.map(heightOf));
    if (width <= maxWidth && height < Math.max(...best.map(heightOf))) best = columns;
  }
  return best;
}

/** @param {Diagram} diagram @param {DiagramNode} node */
const childrenOf = (diagram, node) => diagram.nodes.filter(({ parent }) => parent === node.id);

/** @template {Point} T @param {T} at @param {number} dx @param {number} dy @returns {T} */
const moved = (at, dx, dy) => ({ ...at, x: at.x + dx, y: at.y + dy });

/** @param {Arrow} arrow @param {number} dx @param {number} dy @returns {Arrow} */
const movedArrow = (arrow, dx, dy) => ({
  ...arrow,
  points: arrow.points.map((point) => moved(point, dx, dy)),
  label: arrow.label === null ? null : moved(arrow.label, dx, dy),
});

/** @param {DiagramEdge} edge */
export const innerText = ({ event, actions }) =>
  actions.length === 0 ? event : `${event} / ${[...new Set(actions)].join(', ')}`;

/** @param {DiagramEdge} edge */
const labelLines = ({ event, guard }) => (guard === null ? [event] : [event, `[${guard}]`]);

/**
 * A state with all that is in it, its own corner at 0, 0.
 * @param {Diagram} diagram
 * @param {DiagramNode} node
 * @param {Measure} measure
 * @returns {Drawing}
 */
function place(diagram, node, measure) {
  const children = childrenOf(diagram, node);
  const inner = diagram.edges.filter(
    ({ source, target }) =>
      source === node.id && (target === null || (target === source && children.length === 0)),
  );
  const notes = [...node.invokes.map((name) => `runs ${name}`), ...inner.map(innerText)];
  const head = HEAD + notes.length * LINE;
  const textWidth = Math.max(
    measure(node.key, 'name') + 40,
    ...notes.map((text) => measure(text, 'note') + 8),
    70,
  );
  if (children.length === 0) {
    const [width, height] = [textWidth + 2 * PAD, head + (notes.length > 0 ? 8 : 4)];
    return {
      width,
      height,
      boxes: [{ id: node.id, node, kind: 'state', x: 0, y: 0, width, height, inner }],
      arrows: [],
    };
  }
  const parts = new Map(children.map((child) => [child.id, place(diagram, child, measure)]));
  const inside = arrange(diagram, node, parts, measure);
  const width = Math.max(inside.width, textWidth) + 2 * PAD;
  const height = head + inside.height + PAD;
  const dx = (width - inside.width) / 2;
  /** @type {Box} */
  const own = { id: node.id, node, kind: 'region', x: 0, y: 0, width, height, inner };
  return {
    width,
    height,
    boxes: [own, ...inside.boxes.map((box) => moved(box, dx, head))],
    arrows: inside.arrows.map((arrow) => movedArrow(arrow, dx, head)),
  };
}

/**
 * The children of one state and the arrows between them, by dagre.
 * @param {Diagram} diagram
 * @param {DiagramNode} node
 * @param {ReadonlyMap<string, Drawing>} parts
 * @param {Measure} measure
 * @returns {Drawing}
 */
function arrange(diagram, node, parts, measure) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 16, ranksep: 24, edgesep: 10, marginx: 2, marginy: 6 });
  for (const [id, { width, height }] of parts) graph.setNode(id, { width, height });
  const [start, any] = [`${node.id} start`, `${node.id} any`];
  /** @type {Map<string, DiagramEdge | null>} */
  const edges = new Map();
  /** @param {string} from @param {string} to @param {string} id @param {DiagramEdge | null} edge */
  const link = (from, to, id, edge) => {
    const lines = edge === null ? [] : labelLines(edge);
    const width = Math.max(0, ...lines.map((line) => measure(line, 'note'))) + (lines.length > 0 ? 10 : 0);
    graph.setEdge(from, to, { width, height: lines.length * LINE, labelpos: 'c', minlen: 1 }, id);
    edges.set(id, edge);
  };
  if (node.initial !== null) {
    graph.setNode(start, { width: DOT, height: DOT });
    link(start, childOf(node.id, node.initial), start, null);
  }
  for (const edge of diagram.edges) {
    if (edge.target === null || !edge.target.startsWith(`${node.id}.`)) continue;
    const to = childOf(node.id, edge.target);
    if (edge.source === node.id) {
      graph.setNode(any, { width: measure('any state', 'note') + 18, height: 22 });
      link(any, to, edge.id, edge);
    } else if (edge.source.startsWith(`${node.id}.`)) {
      const from = childOf(node.id, edge.source);
      if (from !== to) link(from, to, edge.id, edge);
    }
  }
  layout(graph);
  /** @type {Box[]} */
  const boxes = [];
  /** @type {Arrow[]} */
  const arrows = [];
  for (const id of graph.nodes()) {
    const { x, y, width, height } = /** @type {Box} */ (graph.node(id));
    const [left, top] = [x - width / 2, y - height / 2];
    const part = parts.get(id);
    if (part !== undefined) {
      boxes.push(...part.boxes.map((box) => moved(box, left, top)));
      arrows.push(...part.arrows.map((arrow) => movedArrow(arrow, left, top)));
    } else {
      boxes.push({
        id,
        node: null,
        kind: id === start ? 'start' : 'any',
        x: left,
        y: top,
        width,
        height,
        inner: [],
      });
    }
  }
  for (const key of graph.edges()) {
    const edge = edges.get(key.name ?? '') ?? null;
    const placed = /** @type {{ points: Point[], x: number, y: number, width: number, height: number }} */ (
      /** @type {unknown} */ (graph.edge(key))
    );
    const { points, x, y, width, height } = placed;
    const label = edge === null ? null : { x, y, width, height };
    arrows.push({ id: key.name ?? '', edge, points, label, lines: edge === null ? [] : labelLines(edge) });
  }
  const { width = 0, height = 0 } = /** @type {{ width?: number, height?: number }} */ (graph.graph());
  return { width, height, boxes, arrows };
}

/** The child of a state that a state deeper inside belongs to. @param {string} parent @param {string} id */
const childOf = (parent, id) => `${parent}.${id.slice(parent.length + 1).split('.')[0]}`;
