/** The statechart as SVG: drawn once, then only lit. */

/** @import { Actor, Arrow, Box, Diagram, Point, Transition } from './types.d.ts' */
import { layOut } from './layout.js';
import { innerText } from './place.js';
import { figure } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';
const LINE = 15;
const TAKEN_MS = 1_600;

/**
 * @param {string} tag
 * @param {Readonly<Record<string, string | number>>} attributes
 * @param {...(string | Node)} children
 */
function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Widths of texts in the chart's two fonts. */
function createMeasure() {
  const context = document.createElement('canvas').getContext('2d');
  const family = getComputedStyle(document.body).fontFamily;
  /** @param {string} text @param {'name' | 'note'} font */
  return (text, font) => {
    if (context === null) return text.length * 7;
    context.font = font === 'name' ? `600 13px ${family}` : `12px ${family}`;
    return context.measureText(text).width;
  };
}

/** @param {HTMLElement} host @param {Diagram} diagram */
export function createChart(host, diagram) {
  /** @type {Map<string, Element>} */
  const parts = new Map();
  let drawnFor = 0;

  const draw = () => {
    const width = Math.max(280, host.clientWidth - 26);
    // A few pixels of a scroll bar are no reason to move everything.
    if (Math.abs(width - drawnFor) < 24) return false;
    drawnFor = width;
    const drawing = layOut(diagram, createMeasure(), width);
    parts.clear();
    const picture = svg('svg', {
      viewBox: `-1 -1 ${Math.ceil(drawing.width) + 2} ${Math.ceil(drawing.height) + 2}`,
      width: Math.ceil(drawing.width) + 2,
      height: Math.ceil(drawing.height) + 2,
      role: 'img',
      'aria-label': `Statechart of ${diagram.id}`,
    });
    const head = svg('marker', {
      id: 'head',
      viewBox: '0 0 8 8',
      refX: 7,
      refY: 4,
      markerWidth: 7,
      markerHeight: 7,
      orient: 'auto-start-reverse',
      markerUnits: 'userSpaceOnUse',
    });
    head.append(svg('path', { d: 'M0 .5 8 4 0 7.5z' }));
    picture.append(svg('defs', {}, head));
    for (const box of drawing.boxes) picture.append(drawBox(box));
    for (const arrow of drawing.arrows) picture.append(drawArrow(arrow));
    host.replaceChildren(picture);
    return true;
  };

  /** @param {Box} box */
  const drawBox = (box) => {
    const { id, node, kind, isInitial, x, y, width, height, inner } = box;
    const group = svg('g', { class: kind, 'data-state': id, transform: `translate(${x} ${y})` });
    group.append(svg('rect', { width, height, rx: kind === 'any' ? height / 2 : 7 }));
    if (isInitial) {
      group.append(svg('circle', { class: 'start', cx: 14, cy: -13, r: 4 }));
      group.append(svg('path', { class: 'begin', d: 'M14-13V-1', 'marker-end': 'url(#head)' }));
    }
    if (node === null) {
      group.append(svg('text', { class: 'note', x: width / 2, y: 15, 'text-anchor': 'middle' }, 'any state'));
      return group;
    }
    group.append(svg('text', { class: 'name', x: 12, y: 20 }, node.key));
    group.append(svg('text', { class: 'census', x: width - 12, y: 20, 'text-anchor': 'end' }));
    let line = 20;
    for (const actor of node.invokes) {
      line += LINE;
      group.append(svg('text', { class: 'note', x: 12, y: line }, `runs ${actor}`));
    }
    for (const edge of inner) {
      line += LINE;
      const text = svg('text', { class: 'note inner', x: 12, y: line }, innerText(edge));
      parts.set(edge.id, text);
      group.append(text);
    }
    parts.set(id, group);
    return group;
  };

  /** @param {Arrow} arrow */
  const drawArrow = ({ id, points, label, lines }) => {
    const group = svg('g', { class: 'arrow' });
    group.append(svg('path', { d: curve(points), 'marker-end': 'url(#head)' }));
    const { width, height } = label;
    const top = label.y - height / 2;
    group.append(svg('rect', { class: 'behind', x: label.x - width / 2, y: top, width, height, rx: 3 }));
    for (const [index, line] of lines.entries()) {
      const at = { class: 'note', x: label.x, y: top + 11 + index * LINE, 'text-anchor': 'middle' };
      group.append(svg('text', at, line));
    }
    parts.set(id, group);
    return group;
  };

  /** @param {(id: string) => number} countIn @param {boolean} isOne */
  const light = (countIn, isOne) => {
    for (const { id, parent } of diagram.nodes) {
      const group = parts.get(id);
      if (group === undefined || parent === null) continue;
      const count = countIn(id);
      group.classList.toggle('lit', count > 0);
      const census = group.querySelector('.census');
      if (census !== null) census.textContent = isOne || count === 0 ? '' : figure(count);
    }
  };

  draw();
  return {
    /** Draws again where the width asks for it; true when it did. */
    fit: draw,
    /** Lights the states that an actor is in. @param {Actor} actor */
    showActor(actor) {
      const on = new Set(Object.entries(actor.state).map(([region, at]) => `${diagram.id}.${region}.${at}`));
      light((id) => (on.has(id) ? 1 : 0), true);
    },
    /** Says how many actors are in each state. @param {ReadonlyMap<string, number>} census */
    showAll(census) {
      light((id) => census.get(id) ?? 0, false);
    },
    showNothing() {
      light(() => 0, true);
    },
    /** Marks arrows that were just taken. @param {readonly Transition[]} transitions */
    flash(transitions) {
      for (const id of new Set(transitions.map(({ edge }) => edge))) {
        const part = parts.get(id);
        if (part === undefined) continue;
        part.classList.remove('taken');
        requestAnimationFrame(() => part.classList.add('taken'));
        setTimeout(() => part.classList.remove('taken'), TAKEN_MS);
      }
    },
  };
}

/** A smooth line through dagre's points. @param {readonly Point[]} points */
function curve(points) {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return '';
  const middle = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? last;
    return `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  });
  return `M${first.x} ${first.y}${middle.join('')}L${last.x} ${last.y}`;
}
