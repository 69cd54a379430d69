/** The corpus of the line sanitizer: `spec/fixtures/scrub`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (name: string): string[] =>
  readFileSync(join(import.meta.dirname, '../../fixtures/scrub', name), 'utf8')
    .replace(/\n$/, '')
    .split('\n');

export interface HiddenLine {
  readonly rule: string;
  readonly line: string;
  readonly shown: string;
}

/** Lines with a secret, the rule that hides it, and what is shown; `\t` stands for a tab in the table. */
export const hiddenLines = (): HiddenLine[] =>
  read('hides.tsv')
    .slice(1)
    .map((row) => {
      const [rule = '', line = '', shown = ''] = row.split('\t');
      return { rule, line: line.replaceAll('\\t', '\t'), shown: shown.replaceAll('\\t', '\t') };
    });

/** Lines that must stay as they are; those that start with `# ` are headings. */
export const keptLines = (): string[] => read('keeps.txt').filter((line) => !line.startsWith('# '));
