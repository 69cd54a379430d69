/** `make diagrams`: writes docs/machines.md. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machinesPage } from './machinesPage.ts';

await writeFile(join(import.meta.dirname, '../docs/machines.md'), machinesPage());
