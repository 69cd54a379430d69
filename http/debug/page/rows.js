/** The list: thousands of rows, of which only those in sight exist. */

/** @import { Actor } from './types.d.ts' */
import { conditionOf } from './fleet.js';
import { age, byId, element, figure, pathOf } from './text.js';

const ROW_PX = 48;
const MARGIN_ROWS = 6;

/** @param {(path: string) => void} onChosen called when a row is clicked or chosen by key */
export function createRows(onChosen) {
  const [scroller, space] = [byId('rows'), byId('space')];
  /** @type {readonly Actor[]} */
  let shown = [];
  let chosen = '';
  let now = Date.now();

  const draw = () => {
    space.style.height = `${shown.length * ROW_PX}px`;
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW_PX) - MARGIN_ROWS);
    const last = Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW_PX) + MARGIN_ROWS;
    const rows = shown.slice(first, last).map((actor, index) => row(actor, first + index));
    space.replaceChildren(...rows);
    const active = shown.findIndex((actor) => pathOf(actor) === chosen);
    if (active >= first && active < last) scroller.setAttribute('aria-activedescendant', `row-${active}`);
    else scroller.removeAttribute('aria-activedescendant');
  };

  /** @param {Actor} actor @param {number} index */
  const row = (actor, index) => {
    const path = pathOf(actor);
    const { tone, words } = conditionOf(actor, now);
    const since = actor.syncing_since ?? actor.last_outcome_at;
    const made = element(
      'a',
      'row',
      element(
        'span',
        'who',
        element('b', '', actor.slug),
        element('small', '', path.split('/').slice(0, -1).join(' / ')),
      ),
      element(
        'span',
        `state ${tone}`,
        element('b', '', words),
        element('small', '', since === null ? '' : age(now - Date.parse(since))),
      ),
      element('span', actor.queue > 0 ? 'queue some' : 'queue', figure(actor.queue)),
    );
    made.style.top = `${index * ROW_PX}px`;
    made.id = `row-${index}`;
    made.setAttribute('href', `#/actors/${path}`);
    made.setAttribute('role', 'option');
    made.setAttribute('aria-selected', String(path === chosen));
    made.setAttribute('tabindex', '-1');
    made.setAttribute('aria-setsize', String(shown.length));
    made.setAttribute('aria-posinset', String(index + 1));
    return made;
  };

  const reveal = () => {
    const at = shown.findIndex((actor) => pathOf(actor) === chosen) * ROW_PX;
    if (at < 0) return;
    if (at < scroller.scrollTop) scroller.scrollTop = at;
    const below = at + ROW_PX - scroller.clientHeight;
    if (below > scroller.scrollTop) scroller.scrollTop = below;
  };

  scroller.addEventListener('scroll', draw, { passive: true });
  new ResizeObserver(draw).observe(scroller);
  scroller.addEventListener('keydown', (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step === undefined || shown.length === 0) return;
    event.preventDefault();
    const from = shown.findIndex((actor) => pathOf(actor) === chosen);
    const to = Math.min(shown.length - 1, Math.max(0, from + step));
    const next = shown[to];
    if (next !== undefined) onChosen(pathOf(next));
  });

  return {
    /** @param {readonly Actor[]} actors @param {number} at */
    show(actors, at) {
      shown = actors;
      now = at;
      draw();
    },
    /** @param {string} path */
    choose(path) {
      chosen = path;
      reveal();
      draw();
    },
  };
}
