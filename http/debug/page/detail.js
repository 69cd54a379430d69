/** One actor, or all of them: figures, and what happened last. */

/** @import { Actor, Transition } from './types.d.ts' */
import { conditionOf } from './fleet.js';
import { age, byId, clock, element, figure, pathOf } from './text.js';

/**
 * @param {readonly (readonly [label: string, value: string | Node, tone?: string])[]} figures
 */
function showFigures(figures) {
  byId('figures').replaceChildren(
    ...figures.map(([label, value, tone = '']) =>
      element('div', tone, element('dt', '', label), element('dd', '', value)),
    ),
  );
}

/** @param {number} ms */
const ago = (ms) => (ms < 1000 ? ', just now' : `, ${age(ms)} ago`);

/** @param {number} busy @param {number} lanes */
function laneBar(busy, lanes) {
  const cells = Array.from({ length: lanes }, (_, index) => element('i', index < busy ? 'on' : ''));
  return element('span', 'lanes', ...cells, ` ${busy} of ${lanes}`);
}

/** @param {Actor} actor @param {number} lanes @param {number} now */
export function showActor(actor, lanes, now) {
  const { tone, words } = conditionOf(actor, now);
  const outcome = actor.last_outcome ?? 'none yet';
  const when = actor.last_outcome_at === null ? '' : ago(now - Date.parse(actor.last_outcome_at));
  byId('name').textContent = actor.slug;
  byId('about').textContent = pathOf(actor).split('/').slice(0, -1).join(' / ');
  showFigures([
    [
      'Now',
      actor.syncing_since === null ? words : `${words} ${age(now - Date.parse(actor.syncing_since))}`,
      tone,
    ],
    ['Snapshots waiting', figure(actor.queue), actor.queue > 0 ? 'warn' : ''],
    ['Live lanes', laneBar(actor.lanes_busy, lanes), actor.lanes_busy === lanes ? 'warn' : ''],
    ['Reads waiting', figure(actor.reads_waiting), actor.reads_waiting > 0 ? 'warn' : ''],
    ['Last snapshot', `${outcome}${when}`, actor.failures > 0 ? 'bad' : ''],
    ['Failures in a row', figure(actor.failures), actor.failures > 0 ? 'bad' : ''],
    ...(actor.crashes > 0 ? [/** @type {const} */ (['Crashes', figure(actor.crashes), 'bad'])] : []),
  ]);
}

/** @param {Readonly<Record<string, number>>} counts @param {readonly Actor[]} actors */
export function showAll(counts, actors) {
  byId('name').textContent = 'All actors';
  byId('about').textContent =
    'Numbers in the chart count the actors in each state. Choose one to see it alone.';
  const waiting = actors.reduce((sum, { queue }) => sum + queue, 0);
  const [busy = 0, stuck = 0, failed = 0, offline = 0] = [
    counts.busy,
    counts.stuck,
    counts.failed,
    counts.offline,
  ];
  showFigures([
    ['Actors', figure(counts.all ?? 0)],
    ['Busy', figure(busy), busy > 0 ? 'busy' : ''],
    ['Snapshots waiting', figure(waiting), waiting > 0 ? 'warn' : ''],
    ['Stuck', figure(stuck), stuck > 0 ? 'bad' : ''],
    ['Failing', figure(failed), failed > 0 ? 'bad' : ''],
    ['Silent', figure(offline), offline > 0 ? 'warn' : ''],
  ]);
}

/** @param {string} path */
export function showMissing(path) {
  byId('name').textContent = path.split('/').at(-1) ?? path;
  byId('about').textContent =
    'No actor of this name in this process. One is made when its cluster is heard of; with several backends it may live in another.';
  showFigures([]);
}

const OUTCOME_TONES = [
  [/^(failed|rejected|crashed)/, 'bad'],
  [/^(superseded|abandoned|disconnected|not_available)/, 'warn'],
  [/./, 'calm'],
];

/** @param {string} outcome */
const toneOf = (outcome) =>
  String(OUTCOME_TONES.find(([like]) => /** @type {RegExp} */ (like).test(outcome))?.[1] ?? '');

/**
 * @param {readonly (Transition & { readonly actor?: string })[]} transitions newest first
 * @param {boolean} isAll with a column that says whose they are
 * @param {number | null} total how many there ever were; null when that is not known
 */
export function showLog(transitions, isAll, total) {
  const host = byId('log');
  if (transitions.length === 0) {
    host.replaceChildren(
      element('h2', '', 'Last transitions'),
      element('p', 'dim', isAll ? 'None since this page was opened.' : 'None since this process started.'),
    );
    return;
  }
  const heads = [
    'Time (UTC)',
    ...(isAll ? ['Actor'] : []),
    'Region',
    'Event',
    'Guard',
    'From → to',
    'Outcome',
  ];
  const rows = transitions.map((one) =>
    element(
      'tr',
      '',
      element('td', 'time', clock(one.at)),
      ...(isAll ? [element('td', 'whose', one.actor ?? '')] : []),
      element('td', 'dim', one.region),
      element('td', 'event', one.event),
      element(
        'td',
        'guard',
        ...(one.guards.length === 0
          ? ['–']
          : one.guards.map(({ name, held }) =>
              element('span', held ? 'held' : 'not', `${name} ${held ? 'true' : 'false'}`),
            )),
      ),
      element('td', 'move', one.from === one.to ? one.from : `${one.from} → ${one.to}`),
      element('td', one.outcome === null ? '' : toneOf(one.outcome), one.outcome ?? '–'),
    ),
  );
  const of = total === null ? '' : ` ${figure(transitions.length)} of ${figure(total)}`;
  host.replaceChildren(
    element('h2', '', 'Last transitions', element('small', '', of)),
    element(
      'table',
      '',
      element('thead', '', element('tr', '', ...heads.map((head) => element('th', '', head)))),
      element('tbody', '', ...rows),
    ),
  );
}
