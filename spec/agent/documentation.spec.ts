import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentMetrics } from '../../agent/metrics.ts';
import type { Setting } from '../../agent/settings.ts';
import { defaultOf, SETTINGS } from '../../agent/settings.ts';
import { SHEDS } from '../../rules/shrink.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/agent.md'), 'utf8');

/** Cells of the rows of the table whose first column has this head. */
function rowsUnder(head: string): string[][] {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${head} `));
  assert.ok(at >= 0, `no table of ${head}`);
  const end = lines.findIndex((line, i) => i > at && !line.startsWith('|'));
  return lines.slice(at + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\', '')),
  );
}

describe('docs/agent.md', () => {
  it('lists the settings as the help does, with their defaults', () => {
    const settings = Object.values<Setting<unknown>>(SETTINGS);
    assert.deepEqual(
      rowsUnder('variable'),
      settings.map((setting) => [`\`${setting.variable}\``, defaultOf(setting), setting.help]),
    );
  });

  it('lists the metrics that the agent has from its start on, and no other (OB-06)', async () => {
    const { body, contentType } = await createAgentMetrics().render();
    assert.match(contentType, /^text\/plain; version=/);
    const metrics = [...body.matchAll(/^# HELP (proxima_\S+) (.*)$/gm)];
    assert.deepEqual(
      rowsUnder('metric'),
      metrics.map(([, name, help]) => [`\`${name}\``, help]),
    );
    for (const outcome of SHEDS)
      assert.ok(body.includes(`_too_large_total{outcome="${outcome}"} 0`), outcome);
    assert.match(body, /^process_resident_memory_bytes /m);
  });

  it('explains every step of the size ladder in its order, and the remedy (PL-09)', () => {
    assert.deepEqual(
      rowsUnder('step').map(([, outcome]) => outcome),
      SHEDS.map((shed) => `\`${shed}\``),
    );
    assert.match(page, /\*\*Remedy\*\*: lower `PROXIMA_K8S_POD_LIMIT`, or raise `max_payload`/);
  });
});
