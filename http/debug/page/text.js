/** Words and figures as the page shows them. */

/** @import { Actor } from './types.d.ts' */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * How long ago, in the unit that an operator would say.
 * @param {number} ms
 */
export function age(ms) {
  if (ms < SECOND) return 'now';
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 48 * HOUR) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / (24 * HOUR))} d`;
}

/**
 * Time of day in UTC with milliseconds, as in the logs.
 * @param {string} iso
 */
export const clock = (iso) => iso.slice(11, 23);

/** @param {number} n */
export const figure = (n) => n.toLocaleString('en');

/**
 * Client, environment and slug; the address of the actor's page and what a search looks at.
 * @param {Actor} actor
 */
export const pathOf = ({ client, environment, slug, key }) =>
  client === null || environment === null ? key : `${client}/${environment}/${slug}`;

/**
 * An element with a class and a text or children.
 * @param {string} tag
 * @param {string} className
 * @param {...(string | Node)} children
 */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

/**
 * The element of this id; the page has it.
 * @param {string} id
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}
