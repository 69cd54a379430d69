/** Fixtures of the mappers: two YAML documents, an object as the API shows it and the record that it must become. */

import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const FOLDER = new URL('../../fixtures/kube/', import.meta.url);

export interface Fixture {
  /** `{kind}-{condition}`. */
  readonly name: string;
  readonly object: Record<string, unknown> & { readonly kind: string };
  readonly record: Record<string, unknown>;
}

/** Every fixture, by name. Throws on a file that does not hold exactly two documents. */
export const readFixtures = (): Fixture[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const documents = parseAllDocuments(readFileSync(new URL(file, FOLDER), 'utf8'));
      const [object, record, ...more] = documents.map((document) => document.toJS());
      if (!object?.kind || !record || more.length > 0)
        throw new Error(`${file} is not an object and its record`);
      return { name: file.slice(0, -'.yaml'.length), object, record };
    });
