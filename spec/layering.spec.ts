import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const root = normalize(join(import.meta.dirname, '..'));

interface Layer {
  readonly folders: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** The table of docs/architecture.md: what each folder may import. */
function readLayers(): Map<string, Layer> {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const rows =
    page
      .split('\n## Folders and arrows')[1]
      ?.split('\n')
      .filter((line) => line.startsWith('| `')) ?? [];
  const words = (cell = ''): Set<string> =>
    new Set(
      cell
        .split(',')
        .map((word) => word.trim())
        .filter(Boolean),
    );
  return new Map(
    rows.map((row) => {
      const [folder = '', , folders, packages] = row.split('|').slice(1, -1);
      return [folder.replaceAll('`', '').trim(), { folders: words(folders), packages: words(packages) }];
    }),
  );
}

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const IMPORT =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

function importsOf(folder: string): Import[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((name) => {
      const file = join(folder, name);
      const source = readFileSync(join(root, file), 'utf8');
      return [...source.matchAll(IMPORT)].map((match) => ({
        file,
        target: match[3] ?? match[4] ?? '',
        typeOnly: match[2] !== undefined,
      }));
    });
}

const packageOf = (target: string): string =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');

const layers = readLayers();
const present = new Set(readdirSync(root));

describe('layering', () => {
  it('describes every source folder in docs/architecture.md', () => {
    const config = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as { include: string[] };
    const folders = config.include.filter((entry) => !entry.endsWith('.ts'));
    assert.deepEqual([...layers.keys()].sort(), folders.sort());
  });

  for (const [folder, layer] of layers) {
    if (!present.has(folder)) continue;
    it(`lets ${folder} import only what the table allows`, () => {
      const broken = importsOf(folder).filter(({ file, target }) => {
        if (target.startsWith('.')) {
          const to = relative(root, join(root, dirname(file), target)).split('/')[0] ?? '';
          return to !== folder && !layer.folders.has(to);
        }
        if (target.startsWith('node:')) {
          return (folder === 'rules' && target !== 'node:crypto') || folder === 'machines';
        }
        return !layer.packages.has(packageOf(target));
      });
      assert.deepEqual(broken, []);
    });
  }

  it('imports a package in one module of each folder, so that it can be replaced there', () => {
    const shared = new Set(['xstate', 'koa', '@koa/router']);
    const users = new Map<string, Set<string>>();
    for (const folder of layers.keys()) {
      if (!present.has(folder) || folder === 'spec') continue;
      for (const { file, target, typeOnly } of importsOf(folder)) {
        if (typeOnly || target.startsWith('.') || target.startsWith('node:') || shared.has(target)) continue;
        const key = `${folder} ${packageOf(target)}`;
        users.set(key, (users.get(key) ?? new Set()).add(file));
      }
    }
    const scattered = [...users].filter(([, files]) => files.size > 1);
    assert.deepEqual(
      scattered.map(([key, files]) => [key, [...files]]),
      [],
    );
  });

  it('lets only http/access mint what a tenant read needs', () => {
    const minters = ['store', 'actors', 'http', 'scripts', 'bench']
      .filter((folder) => present.has(folder))
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.ts'))
          .map((file) => join(folder, file)),
      )
      .filter((file) => /\bmint[A-Z]\w*/.test(readFileSync(join(root, file), 'utf8')));
    assert.deepEqual(
      minters.filter((file) => file !== 'store/scope.ts' && file !== 'http/access.ts'),
      [],
    );
  });
});
