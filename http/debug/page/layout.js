/** The whole chart: its regions in the arrangement that suits the width. */

/** @import { Arrow, Box, Diagram, Drawing } from './types.d.ts' */
/** @import { Direction, Measure } from './place.js' */
import { childrenOf, moved, movedArrow, place } from './place.js';

const GAP = 12;

/**
 * The whole drawing, in the lowest of all arrangements that fit into `maxWidth`: states from top to bottom or from left
 * to right, regions of a parallel machine in rows or in columns. Where none fits, the narrowest.
 * @param {Diagram} diagram
 * @param {Measure} measure
 * @param {number} maxWidth
 * @returns {Drawing}
 */
export function layOut(diagram, measure, maxWidth) {
  const [root] = diagram.nodes;
  if (root === undefined) throw new Error('a diagram without nodes');
  const regions = root.type === 'parallel' ? childrenOf(diagram, root) : [root];
  const drawings = DIRECTIONS.flatMap((direction) => {
    const parts = regions.map((region) => place(diagram, region, measure, direction));
    const groupings = groupingsOf(parts);
    // Rows first: they leave regions as wide as they are, which a narrow screen likes better.
    return [...groupings.map(inRows), ...groupings.map(inColumns)];
  });
  const fitting = drawings.filter(({ width }) => width <= maxWidth);
  return fitting.length > 0
    ? fitting.reduce((best, one) => (one.height < best.height ? one : best))
    : drawings.reduce((best, one) => (one.width < best.width ? one : best));
}

/** @type {readonly Direction[]} */
const DIRECTIONS = ['TB', 'LR'];

/**
 * Every way to cut the parts into groups without changing their order.
 * @param {readonly Drawing[]} parts
 * @returns {Drawing[][][]}
 */
function groupingsOf(parts) {
  return Array.from({ length: 2 ** (parts.length - 1) }, (_, cuts) => {
    /** @type {Drawing[][]} */
    const groups = [];
    for (const [index, part] of parts.entries()) {
      if (index === 0 || (cuts >> (index - 1)) % 2 === 1) groups.push([part]);
      else groups.at(-1)?.push(part);
    }
    return groups;
  });
}

/** Groups as rows, whose frames are equally high. @param {readonly Drawing[][]} groups @returns {Drawing} */
function inRows(groups) {
  const rows = groups.map((group) => {
    const height = Math.max(...group.map((part) => part.height));
    return join(
      group.map((part) => framed(part, part.width, height)),
      'x',
    );
  });
  return join(rows, 'y');
}

/** Groups as columns, whose frames are equally wide. @param {readonly Drawing[][]} groups @returns {Drawing} */
function inColumns(groups) {
  const columns = groups.map((group) => {
    const width = Math.max(...group.map((part) => part.width));
    return join(
      group.map((part) => framed(part, width, part.height)),
      'y',
    );
  });
  return join(columns, 'x');
}

/** Drawings side by side, or below each other. @param {readonly Drawing[]} parts @param {'x' | 'y'} along */
function join(parts, along) {
  /** @type {{ width: number, height: number, boxes: Box[], arrows: Arrow[] }} */
  const whole = { width: 0, height: 0, boxes: [], arrows: [] };
  for (const part of parts) {
    const gap = whole.boxes.length > 0 ? GAP : 0;
    const [dx, dy] = along === 'x' ? [whole.width + gap, 0] : [0, whole.height + gap];
    whole.boxes.push(...part.boxes.map((box) => moved(box, dx, dy)));
    whole.arrows.push(...part.arrows.map((arrow) => movedArrow(arrow, dx, dy)));
    whole.width = Math.max(whole.width, dx + part.width);
    whole.height = Math.max(whole.height, dy + part.height);
  }
  return whole;
}

/**
 * A region with a frame of this size, what is in it in the middle of its width.
 * @param {Drawing} part
 * @param {number} width
 * @param {number} height
 * @returns {Drawing}
 */
function framed({ width: before, boxes, arrows }, width, height) {
  const [own, ...inside] = boxes;
  if (own === undefined) throw new Error('a drawing without a frame');
  const dx = (width - before) / 2;
  return {
    width,
    height,
    boxes: [{ ...own, width, height }, ...inside.map((box) => moved(box, dx, 0))],
    arrows: arrows.map((arrow) => movedArrow(arrow, dx, 0)),
  };
}
