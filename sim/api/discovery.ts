import type { SimCluster } from '../cluster.ts';
import { apiVersionOf } from '../resources.ts';
import { type Answer, json, pageNotFound } from './answer.ts';
import { type ServedVersion, servedVersions } from './served.ts';
import { noSuchResource } from './status.ts';

/** Answers the paths that name no resource: version, health and discovery. `host` is the server's own address. */
export function discovery(cluster: SimCluster, path: string, host: string): Answer {
  const parts = path.split('/').filter(Boolean);
  const [root = '', group = '', version = ''] = parts;
  if (root === 'version' && parts.length === 1) return json(versionOf(cluster.profile.gitVersion));
  if (['healthz', 'livez', 'readyz'].includes(root) && parts.length === 1) {
    return { ...pageNotFound, status: 200, body: 'ok' };
  }
  const versions = servedVersions(cluster);
  if (root === 'api') {
    if (parts.length === 1) return json(coreVersions(host));
    // Unlike an absent group, an absent version of the core group is a Status.
    return parts.length === 2 && group === 'v1' ? resourceList(versions, '', 'v1') : noSuchResource;
  }
  if (root !== 'apis' || parts.length > 3) return pageNotFound;
  if (parts.length === 3) return resourceList(versions, group, version);
  const groups = versions.filter((each) => each.group !== '').map(apiGroup);
  if (parts.length === 1) return json({ kind: 'APIGroupList', apiVersion: 'v1', groups });
  const found = groups.find(({ name }) => name === group);
  return found === undefined ? pageNotFound : json({ kind: 'APIGroup', apiVersion: 'v1', ...found });
}

function versionOf(gitVersion: string): object {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: '8c4f4a1f1b0b3c7fd9b1e0a2d5f6a7b8c9d0e1f2',
    gitTreeState: 'clean',
    buildDate: '2026-05-12T09:41:03Z',
    goVersion: 'go1.26.8',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}

function coreVersions(host: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }],
  };
}

function apiGroup(served: ServedVersion): { name: string; versions: object[]; preferredVersion: object } {
  const version = { groupVersion: apiVersionOf(served), version: served.version };
  return { name: served.group, versions: [version], preferredVersion: version };
}

function resourceList(versions: readonly ServedVersion[], group: string, version: string): Answer {
  const found = versions.find((each) => each.group === group && each.version === version);
  if (found === undefined) return pageNotFound;
  return json({
    kind: 'APIResourceList',
    // The core group's list is the one that leaves this out.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(found),
    resources: found.resources,
  });
}
