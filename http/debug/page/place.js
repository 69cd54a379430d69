/** One state with all that is in it: dagre places its children, from the innermost outwards. */

/** @import { Arrow, Box, Diagram, DiagramEdge, DiagramNode, Drawing, Point } from './types.d.ts' */
import { Graph, layout } from './dagre.js';

const LINE = 15;
const PAD = 12;
const HEAD = 30;

/** @typedef {(text: string, font: 'name' | 'note') => number} Measure */

/** @typedef {'TB' | 'LR'} Direction as dagre names them */

/** @param {Diagram} diagram @param {DiagramNode} node */
const isInitial = ({ nodes }, { id }) => nodes.some(({ initial }) => initial === id);

/** @param {Diagram} diagram @param {DiagramNode} node */
export const childrenOf = (diagram, node) => diagram.nodes.filter(({ parent }) => parent === node.id);

/** @template {Point} T @param {T} at @param {number} dx @param {number} dy @returns {T} */
export const moved = (at, dx, dy) => ({ ...at, x: at.x + dx, y: at.y + dy });

/** @param {Arrow} arrow @param {number} dx @param {number} dy @returns {Arrow} */
export const movedArrow = (arrow, dx, dy) => ({
  ...arrow,
  points: arrow.points.map((point) => moved(point, dx, dy)),
  label: moved(arrow.label, dx, dy),
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
 * @param {Direction} direction
 * @returns {Drawing}
 */
export function place(diagram, node, measure, direction) {
  const children = childrenOf(diagram, node);
  const inner = diagram.edges.filter(
    ({ source, target }) =>
      source === node.id && (target === null || (target === source && children.length === 0)),
  );
  const notes = [...node.invokes.map((name) => `runs ${name}`), ...inner.map(innerText)];
  const head = HEAD + notes.length * LINE;
  const textWidth = Math.max(
    measure(node.key, 'name') + 54,
    ...notes.map((text) => measure(text, 'note') + 8),
    70,
  );
  if (children.length === 0) {
    const [width, height] = [textWidth + 2 * PAD, head + (notes.length > 0 ? 8 : 4)];
    return {
      width,
      height,
      boxes: [
        {
          id: node.id,
          node,
          kind: 'state',
          isInitial: isInitial(diagram, node),
          x: 0,
          y: 0,
          width,
          height,
          inner,
        },
      ],
      arrows: [],
    };
  }
  const parts = new Map(children.map((child) => [child.id, place(diagram, child, measure, direction)]));
  const inside = arrange(diagram, node, parts, measure, direction);
  const width = Math.max(inside.width, textWidth) + 2 * PAD;
  const height = head + inside.height + PAD;
  const dx = (width - inside.width) / 2;
  /** @type {Box} */
  const own = {
    id: node.id,
    node,
    kind: 'region',
    isInitial: isInitial(diagram, node),
    x: 0,
    y: 0,
    width,
    height,
    inner,
  };
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
 * @param {Direction} rankdir
 * @returns {Drawing}
 */
function arrange(diagram, node, parts, measure, rankdir) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir, nodesep: 16, ranksep: 24, edgesep: 8, marginx: 2, marginy: 10 });
  for (const [id, { width, height }] of parts) graph.setNode(id, { width, height });
  const any = `${node.id} any`;
  /** @type {Map<string, DiagramEdge>} */
  const edges = new Map();
  /** @param {string} from @param {string} to @param {string} id @param {DiagramEdge} edge */
  const link = (from, to, id, edge) => {
    const lines = labelLines(edge);
    const width = Math.max(...lines.map((line) => measure(line, 'note'))) + 8;
    graph.setEdge(from, to, { width, height: lines.length * LINE, labelpos: 'c', minlen: 1 }, id);
    edges.set(id, edge);
  };
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
        kind: 'any',
        isInitial: false,
        x: left,
        y: top,
        width,
        height,
        inner: [],
      });
    }
  }
  for (const key of graph.edges()) {
    const edge = edges.get(key.name ?? '');
    if (edge === undefined) continue;
    const placed = /** @type {{ points: Point[], x: number, y: number, width: number, height: number }} */ (
      /** @type {unknown} */ (graph.edge(key))
    );
    const { points, x, y, width, height } = placed;
    arrows.push({ id: edge.id, points, label: { x, y, width, height }, lines: labelLines(edge) });
  }
  const { width = 0, height = 0 } = /** @type {{ width?: number, height?: number }} */ (graph.graph());
  return { width, height, boxes, arrows };
}

/** The child of a state that a state deeper inside belongs to. @param {string} parent @param {string} id */
const childOf = (parent, id) => `${parent}.${id.slice(parent.length + 1).split('.')[0]}`;
