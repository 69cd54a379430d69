/** Options of the commands in this folder: help texts and errors in one form. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** A boolean option, or one with a value, and what it does. */
export interface Option {
  readonly type: 'boolean' | 'string';
  readonly help: string;
}

export type Parsed =
  | { readonly values: Readonly<Record<string, string | boolean | undefined>> }
  | { readonly exitCode: number };

/** Reads the options; prints the help for `--help`, an error with it for anything unknown, and then gives an exit code. */
export function readOptions(
  intro: string,
  options: Readonly<Record<string, Option>>,
  argv: string[],
): Parsed {
  const help = [
    intro,
    ...(Object.keys(options).length === 0 ? [] : ['', 'options:']),
    ...Object.entries(options).map(([name, o]) => `  --${name.padEnd(18)} ${o.help}`),
  ].join('\n');
  if (argv.includes('--help') || argv.includes('-h')) {
    console.log(help);
    return { exitCode: 0 };
  }
  try {
    const { values } = parseArgs({ args: argv, options, strict: true, allowPositionals: false });
    return { values };
  } catch (error) {
    console.error(`proxima: ${(error as Error).message}\n\n${help}`);
    return { exitCode: 2 };
  }
}

/** Folder for keys and data: what `--data-dir` says, else `.proxima` of the checkout. */
export const homeOf = (values: Readonly<Record<string, string | boolean | undefined>>): string => {
  const given = values['data-dir'];
  return typeof given === 'string' ? resolve(given) : join(import.meta.dirname, '..', '.proxima');
};
