/** The page: what the address says is shown, and kept up to date. */

/** @import { Actor, Diagram, Transition } from './types.d.ts' */
import { createChart } from './chart.js';
import { showActor, showAll, showLog, showMissing } from './detail.js';
import { openFeed } from './feed.js';
import { FILTERS, Fleet } from './fleet.js';
import { createRows } from './rows.js';
import { byId, element, figure, pathOf } from './text.js';

const KEPT = 32;
const DRAW_EVERY_MS = 250;

const fleet = new Fleet();
const search = /** @type {HTMLInputElement} */ (byId('search'));
let filter = 'all';
let isWhole = false;
let skewMs = 0;
/** Transitions of the shown actor, or of all, newest first. @type {(Transition & { actor?: string })[]} */
let log = [];
let chosen = '';
let isDirty = true;

/** The server's time, by which ages are counted. */
const now = () => Date.now() + skewMs;

const answer = await fetch('/debug/api/machine');
/** @type {{ data: { diagram: Diagram, live_lanes: number } }} */
const { data: machine } = await answer.json();
const chart = createChart(byId('chart'), machine.diagram);
const rows = createRows((path) => {
  location.hash = `#/actors/${path}`;
});

const FILTER_KEYS = Object.keys(FILTERS);
byId('filters').append(
  ...FILTER_KEYS.map((name) => {
    const button = element('button', '', element('span', '', FILTERS[name]?.label ?? name), element('b', ''));
    button.setAttribute('type', 'button');
    button.dataset.filter = name;
    button.addEventListener('click', () => {
      filter = name;
      draw();
    });
    return button;
  }),
);

function drawList() {
  const selected = fleet.select(search.value, filter, now());
  const counts = fleet.counts(now());
  for (const button of byId('filters').querySelectorAll('button')) {
    const name = button.dataset.filter ?? '';
    button.setAttribute('aria-pressed', String(name === filter));
    const count = button.querySelector('b');
    if (count !== null) count.textContent = figure(counts[name] ?? 0);
    button.classList.toggle('alarm', (name === 'stuck' || name === 'failed') && (counts[name] ?? 0) > 0);
  }
  rows.show(selected, now());
  const empty = byId('empty');
  empty.hidden = selected.length > 0 || !isWhole;
  empty.textContent =
    fleet.size === 0
      ? 'No actors yet. Each cluster gets one when its first snapshot arrives.'
      : 'No actor matches. Clear the search or choose another filter.';
  byId('count').textContent = isWhole
    ? `${figure(selected.length)} of ${figure(fleet.size)} actors`
    : `loading, ${figure(fleet.size)} so far`;
  return counts;
}

/** @param {Readonly<Record<string, number>>} counts */
function drawDetail(counts) {
  if (chosen === '') {
    showAll(counts, fleet.all());
    chart.showAll(fleet.census(machine.diagram.id));
  } else {
    const actor = fleet.at(chosen);
    if (actor !== null) {
      showActor(actor, machine.live_lanes, now());
      chart.showActor(actor);
    } else if (isWhole) {
      showMissing(chosen);
      chart.showNothing();
    }
  }
  showLog(log, chosen === '', chosen === '' ? null : (fleet.at(chosen)?.transitions ?? null));
}

function draw() {
  isDirty = false;
  drawDetail(drawList());
}

/** @param {Actor} actor */
async function loadLog(actor) {
  const [environment = ''] = actor.key.split('/');
  const answer = await fetch(`/debug/api/actors/${environment}/${encodeURIComponent(actor.slug)}`);
  if (!answer.ok || chosen !== pathOf(actor)) return;
  /** @type {{ data: { transitions: Transition[] } }} */
  const { data } = await answer.json();
  if (chosen !== pathOf(actor)) return;
  // What came by the stream meanwhile is newer.
  const loaded = data.transitions[0]?.number ?? 0;
  log = [...log.filter(({ number }) => number > loaded), ...data.transitions].slice(0, KEPT);
  isDirty = true;
}

/** @param {readonly Actor[]} changed */
function take(changed) {
  fleet.put(changed);
  isDirty = true;
  for (const actor of changed) {
    const recent = actor.recent ?? [];
    const path = pathOf(actor);
    if (chosen === '') {
      log = [...recent.map((one) => ({ ...one, actor: actor.slug })), ...log].slice(0, KEPT);
      if (isWhole) chart.flash(recent);
    } else if (path === chosen) {
      chart.flash(recent);
      const newest = log[0]?.number ?? 0;
      const fresh = recent.filter(({ number }) => number > newest);
      log = [...fresh, ...log].slice(0, KEPT);
      // More happened than came along.
      if (actor.transitions - newest > fresh.length) void loadLog(actor);
    }
  }
}

function route() {
  const [, path = ''] = /^#\/actors\/(.+)$/.exec(decodeURI(location.hash)) ?? [];
  const view = path !== '' ? 'actor' : location.hash === '#/all' ? 'all' : 'list';
  document.body.dataset.view = view;
  if (path !== chosen) {
    chosen = path;
    log = [];
    const actor = fleet.at(path);
    if (actor !== null) void loadLog(actor);
  }
  document.title = `${path === '' ? 'Actors' : path.split('/').at(-1)} · Proxima Inventory`;
  rows.choose(path);
  chart.fit();
  draw();
  if (view === 'actor') byId('detail').scrollTop = 0;
}

openFeed({
  onRows: take,
  onWhole(keys) {
    fleet.keepOnly(keys);
    isWhole = true;
    const actor = fleet.at(chosen);
    if (actor !== null) void loadLog(actor);
    draw();
    rows.choose(chosen);
  },
  onTime(at) {
    skewMs = at - Date.now();
  },
  onLink(state) {
    const words = { connecting: 'connecting', live: 'live', cut: 'disconnected', 'signed-out': 'signed out' };
    const link = byId('link');
    link.dataset.state = state;
    link.lastElementChild?.replaceChildren(words[state]);
    const cut = byId('cut');
    cut.hidden = state === 'live' || state === 'connecting';
    if (state === 'cut') {
      cut.textContent =
        'Disconnected from the backend. What is shown may be old; trying again every few seconds.';
    } else if (state === 'signed-out') {
      const again = element('a', '', 'Sign in again');
      again.setAttribute('href', `/login?next=%2Fdebug%2Factors${location.hash}`);
      cut.replaceChildren('The session has ended. ', again);
    }
    document.body.classList.toggle('old', state === 'cut' || state === 'signed-out');
  },
});

search.addEventListener('input', draw);
addEventListener('hashchange', route);
new ResizeObserver(() => {
  if (chart.fit()) draw();
}).observe(byId('chart'));
addEventListener('keydown', (event) => {
  const isTyping = event.target === search;
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    search.focus();
  } else if (event.key === 'Escape' && isTyping && search.value !== '') {
    search.value = '';
    draw();
  } else if (event.key === 'Escape') {
    location.hash = '#/';
    byId('rows').focus();
  } else if (isTyping && event.key === 'ArrowDown') {
    byId('rows').focus();
  }
});

route();
setInterval(() => {
  if (isDirty) draw();
}, DRAW_EVERY_MS);
// Ages move on by themselves.
setInterval(draw, 5_000);
