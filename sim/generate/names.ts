import type { Random } from '../random.ts';

const nouns = [
  'api',
  'auth',
  'billing',
  'cart',
  'catalog',
  'checkout',
  'content',
  'delivery',
  'fraud',
  'gateway',
  'identity',
  'inventory',
  'invoice',
  'ledger',
  'mailer',
  'media',
  'notifier',
  'orders',
  'payments',
  'pricing',
  'profile',
  'quota',
  'rates',
  'recommender',
  'reports',
  'returns',
  'reviews',
  'search',
  'sessions',
  'shipping',
  'stock',
  'tax',
  'tracker',
  'users',
  'wallet',
  'web',
];
const roles = ['', '-worker', '-api', '-consumer', '-sync', '-v2', '-edge', '-cache', '-batch', '-admin'];
const registries = [
  'registry.acme.example/platform',
  'ghcr.io/acme',
  '493112345678.dkr.ecr.eu-central-1.amazonaws.com',
];

/** Teams' namespaces: `shop-prod`, `data-staging`, … as many as asked for. */
export function teamNamespaces(count: number): string[] {
  const teams = [
    'shop',
    'data',
    'core',
    'risk',
    'growth',
    'media',
    'fleet',
    'search',
    'ops',
    'labs',
    'mobile',
    'crm',
  ];
  const stages = ['prod', 'staging', 'dev', 'qa'];
  const names: string[] = [];
  for (let at = 0; names.length < count; at += 1) {
    const round = Math.floor(at / (teams.length * stages.length));
    const team = teams[at % teams.length] ?? 'team';
    const stage = stages[Math.floor(at / teams.length) % stages.length] ?? 'dev';
    names.push(round === 0 ? `${team}-${stage}` : `${team}${round + 1}-${stage}`);
  }
  return names;
}

/** A name that is still free in a namespace; `taken` holds the names in use and gets the new one. */
export function freshName(random: Random, taken: Set<string>): string {
  for (let attempt = 0; ; attempt += 1) {
    const base = `${random.pick(nouns)}${random.pick(roles)}`;
    const name = attempt < 20 ? base : `${base}-${attempt}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

/** An image of the application with a version. */
export function drawImage(random: Random, name: string): string {
  return `${random.pick(registries)}/${name}:${random.int(1, 9)}.${random.int(0, 30)}.${random.int(0, 12)}`;
}

/** The next image of a rollout: the same repository, a later version. */
export function nextImage(random: Random, image: string): string {
  const at = image.lastIndexOf(':');
  const [major = '1', minor = '0'] = image
    .slice(at + 1)
    .replace(/^v/, '')
    .split('.');
  return `${image.slice(0, at)}:${major}.${Number(minor) + 1}.${random.int(0, 99)}`;
}
