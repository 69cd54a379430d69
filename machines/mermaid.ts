import type { Diagram, DiagramEdge, DiagramNode } from './diagram.ts';

/** A diagram as Mermaid text (`stateDiagram-v2`), which GitHub and most wikis draw. */
export function toMermaid(diagram: Diagram): string {
  const root = diagram.nodes.find(({ parent }) => parent === null);
  if (root === undefined) throw new Error('a diagram without a root');
  return ['stateDiagram-v2', ...body(diagram, root, '  ')].join('\n');
}

const nameOf = (id: string): string => id.replaceAll(/\W/g, '_');

/**
 * Where a transition is written: inside the nearest state around both ends. One that a state has for all its children
 * starts from an `any state` among them, since Mermaid draws no arrow from a state to what is inside it.
 */
function homeOf(diagram: Diagram, edge: DiagramEdge): string {
  if (isOfAll(diagram, edge)) return edge.source;
  const [from, to] = [edge.source.split('.'), (edge.target ?? edge.source).split('.')];
  const shared = from.findIndex((key, index) => key !== to[index]);
  return from.slice(0, Math.max(1, shared === -1 ? from.length - 1 : shared)).join('.');
}

const isOfAll = (diagram: Diagram, { source, target }: DiagramEdge): boolean =>
  target === null ? diagram.nodes.some(({ parent }) => parent === source) : target.startsWith(`${source}.`);

function body(diagram: Diagram, node: DiagramNode, indent: string): string[] {
  const children = diagram.nodes.filter(({ parent }) => parent === node.id);
  const edges = diagram.edges.filter((edge) => homeOf(diagram, edge) === node.id);
  const lines: string[] = [];
  if (node.initial !== null) lines.push(`${indent}[*] --> ${nameOf(node.initial)}`);
  if (edges.some((edge) => isOfAll(diagram, edge))) {
    lines.push(`${indent}state "any state" as ${anyIn(node.id)}`);
  }
  for (const [index, child] of children.entries()) {
    if (node.type === 'parallel' && index > 0) lines.push(`${indent}--`);
    lines.push(...stateLines(diagram, child, indent));
  }
  return [...lines, ...edges.map((edge) => indent + edgeLine(diagram, edge))];
}

const anyIn = (id: string): string => `${nameOf(id)}_any`;

function stateLines(diagram: Diagram, node: DiagramNode, indent: string): string[] {
  const name = nameOf(node.id);
  const hasChildren = diagram.nodes.some(({ parent }) => parent === node.id);
  const work = node.invokes.map((actor) => `${indent}${name} : invokes ${actor}`);
  const labelled = `${indent}state "${node.key}" as ${name}`;
  if (hasChildren) {
    return [`${labelled} {`, ...body(diagram, node, `${indent}  `), `${indent}}`, ...work];
  }
  const end = node.type === 'final' ? [`${indent}${name} --> [*]`] : [];
  return [labelled, ...work, ...end];
}

function edgeLine(diagram: Diagram, edge: DiagramEdge): string {
  const source = isOfAll(diagram, edge) ? anyIn(edge.source) : nameOf(edge.source);
  const target = edge.target === null ? source : nameOf(edge.target);
  return `${source} --> ${target} : ${labelOf(edge)}`;
}

/** `event [guard] / actions`, as UML writes it. */
export function labelOf({ event, guard, actions }: DiagramEdge): string {
  const condition = guard === null ? '' : ` [${guard}]`;
  return `${event}${condition}${actions.length === 0 ? '' : ` / ${actions.join('; ')}`}`;
}
