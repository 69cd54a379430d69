import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import type { AgentConfig } from '../../agent/config.ts';
import { describeConfig, readConfig, readOnceConfig } from '../../agent/config.ts';
import { settingsHelp } from '../../agent/settings.ts';

const BASE = { PROXIMA_CLUSTER_NAME: 'My Cluster', PROXIMA_BACKEND_URL: 'https://console.example' };

function read(env: Record<string, string> = {}): AgentConfig {
  const outcome = readConfig({ ...BASE, ...env });
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.config;
}

function faults(env: Record<string, string | undefined>): readonly string[] {
  const outcome = readConfig({ ...BASE, ...env });
  assert.ok(!outcome.ok, 'the settings were accepted');
  return outcome.faults;
}

describe("the agent's configuration", () => {
  it('has the defaults of the requirements (CF-07, CF-09, CF-10, CF-14, CF-15, CF-16)', () => {
    const config = read();
    assert.equal(config.syncIntervalMs, 300_000);
    assert.equal(config.podLimit, 5000);
    assert.deepEqual([...config.excludedNamespaces], []);
    assert.equal(config.dataDir, '/var/lib/proxima-agent');
    assert.equal(config.logLevel, 'info');
    assert.deepEqual(config.metricsAddress, { host: null, port: 9090 });
    assert.equal(config.natsUrls, null);
    assert.equal(config.installToken, null);
    assert.deepEqual(config.warnings, []);
  });

  it('names every missing and every faulty variable in one go (CF-01, CF-05)', () => {
    assert.deepEqual(
      faults({
        PROXIMA_CLUSTER_NAME: undefined,
        PROXIMA_BACKEND_URL: '',
        PROXIMA_K8S_SYNC_INTERVAL: '5',
        PROXIMA_K8S_POD_LIMIT: 'many',
        PROXIMA_K8S_EXCLUDE_NAMESPACES: 'kube-*',
        PROXIMA_LOG_LEVEL: 'loud',
        PROXIMA_METRICS_ADDR: '9090',
        PROXIMA_NATS_URL: 'http://nats',
        PROXIMA_CLUSTER_SLUG: 'Not A Slug',
      }).map((fault) => fault.split(' ', 1)[0]),
      [
        'PROXIMA_CLUSTER_NAME',
        'PROXIMA_CLUSTER_SLUG',
        'PROXIMA_BACKEND_URL',
        'PROXIMA_K8S_SYNC_INTERVAL',
        'PROXIMA_K8S_POD_LIMIT',
        'PROXIMA_K8S_EXCLUDE_NAMESPACES',
        'PROXIMA_NATS_URL',
        'PROXIMA_LOG_LEVEL',
        'PROXIMA_METRICS_ADDR',
      ],
    );
  });

  it('never quotes a faulty value', () => {
    const said = faults({ PROXIMA_BACKEND_URL: 'hunter2', PROXIMA_NATS_URL: 'hunter2' }).join();
    assert.doesNotMatch(said, /hunter2/);
  });

  it('derives the slug from the name when none is set, and takes a set one as it is (CF-02)', () => {
    assert.equal(read().clusterSlug, 'my-cluster');
    assert.equal(read({ PROXIMA_CLUSTER_NAME: '  Zürich / prod (2) ' }).clusterSlug, 'zurich-prod-2');
    assert.equal(read({ PROXIMA_CLUSTER_SLUG: 'eu-1' }).clusterSlug, 'eu-1');
  });

  it('keeps a derived slug longer than 63 characters, and warns (CF-03, X-20)', () => {
    const config = read({ PROXIMA_CLUSTER_NAME: 'n'.repeat(80) });
    assert.equal(config.clusterSlug.length, 80);
    assert.match(config.warnings.join(), /PROXIMA_CLUSTER_SLUG/);
    assert.deepEqual(read({ PROXIMA_CLUSTER_NAME: 'n'.repeat(80), PROXIMA_CLUSTER_SLUG: 'n' }).warnings, []);
  });

  it('refuses a name that gives an empty slug, unless a slug is set (X-20)', () => {
    assert.deepEqual(faults({ PROXIMA_CLUSTER_NAME: '!!!' }), [
      'PROXIMA_CLUSTER_SLUG is required, because the cluster name gives an empty slug',
    ]);
    assert.equal(read({ PROXIMA_CLUSTER_NAME: '!!!', PROXIMA_CLUSTER_SLUG: 'x' }).clusterSlug, 'x');
  });

  it('derives only slugs that the backend takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (name) => {
        assert.match(
          read({ PROXIMA_CLUSTER_NAME: `a${name}` }).clusterSlug,
          /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
        );
      }),
    );
  });

  it('enrolls under the pod name, else under a name that a fresh pod takes again (EN-02, X-02)', () => {
    assert.equal(read({ POD_NAME: 'proxima-cluster-agent-0' }).agentName, 'proxima-cluster-agent-0');
    assert.equal(read().agentName, 'my-cluster-collector');
  });

  it('reads lists, durations and addresses', () => {
    const config = read({
      PROXIMA_K8S_EXCLUDE_NAMESPACES: 'kube-system, ci,,',
      PROXIMA_K8S_SYNC_INTERVAL: '1m30s',
      PROXIMA_METRICS_ADDR: '[::1]:9191',
      PROXIMA_NATS_URL: 'tls://a:4222,tls://b:4222',
    });
    assert.deepEqual([...config.excludedNamespaces], ['kube-system', 'ci']);
    assert.equal(config.syncIntervalMs, 90_000);
    assert.deepEqual(config.metricsAddress, { host: '::1', port: 9191 });
    assert.deepEqual(config.natsUrls, ['tls://a:4222', 'tls://b:4222']);
  });

  it('uses at most 20 well-formed in-cluster names, and says in one line how many it does not use (AA-12, CF-11)', () => {
    assert.deepEqual(read().inClusterNames, []);
    const long = 'n'.repeat(253);
    const good = read({ PROXIMA_ARGOCD_IN_CLUSTER_NAMES: ` production ,A.b_c-9,${long},production` });
    assert.deepEqual(good.inClusterNames, ['production', 'A.b_c-9', long]);
    assert.deepEqual(good.warnings, []);

    const mixed = read({ PROXIMA_ARGOCD_IN_CLUSTER_NAMES: `ok,bad name,sch\u00f6n,${long}n` });
    assert.deepEqual(mixed.inClusterNames, ['ok']);
    assert.equal(mixed.warnings.length, 1);
    assert.match(mixed.warnings.join(), /^PROXIMA_ARGOCD_IN_CLUSTER_NAMES: 3 not used/);
    assert.doesNotMatch(mixed.warnings.join(), /bad name/);

    const many = Array.from({ length: 22 }, (_, i) => `name-${i}`);
    const capped = read({ PROXIMA_ARGOCD_IN_CLUSTER_NAMES: many.join() });
    assert.deepEqual(capped.inClusterNames, many.slice(0, 20));
    assert.match(capped.warnings.join(), /: 2 not used/);
  });

  it('never fails on in-cluster names, whatever they are (AA-12)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { inClusterNames } = read({ PROXIMA_ARGOCD_IN_CLUSTER_NAMES: text });
        assert.ok(inClusterNames.length <= 20);
        for (const name of inClusterNames) assert.match(name, /^[A-Za-z0-9._-]{1,253}$/);
      }),
    );
  });

  it('needs only the name of the cluster for --once, and reads nothing that only publishing needs', () => {
    const once = readOnceConfig({
      PROXIMA_CLUSTER_NAME: 'My Cluster',
      PROXIMA_K8S_POD_LIMIT: '7',
      PROXIMA_BACKEND_URL: 'nonsense',
      PROXIMA_METRICS_ADDR: 'nonsense',
    });
    assert.ok(once.ok);
    assert.equal(once.config.clusterSlug, 'my-cluster');
    assert.equal(once.config.podLimit, 7);
    const faulty = readOnceConfig({ PROXIMA_K8S_POD_LIMIT: 'many' });
    assert.ok(!faulty.ok);
    assert.deepEqual(faulty.faults, [
      'PROXIMA_CLUSTER_NAME is required',
      'PROXIMA_K8S_POD_LIMIT must be an integer from 1 to 1000000',
    ]);
  });

  it('has no setting for the event cap (CF-17)', () => {
    assert.doesNotMatch(settingsHelp(), /EVENT/);
  });

  it('says what to set, not which product to look at', () => {
    const said = read({
      PROXIMA_CLUSTER_NAME: 'n'.repeat(80),
      PROXIMA_ARGOCD_IN_CLUSTER_NAMES: '!',
    }).warnings;
    assert.doesNotMatch(`${said.join()}${settingsHelp()}`, /Console/);
  });

  it('warns about an install token that would travel in clear', () => {
    assert.match(read({ PROXIMA_BACKEND_URL: 'http://console.example' }).warnings.join(), /in clear/);
    assert.deepEqual(read({ PROXIMA_BACKEND_URL: 'http://127.0.0.1:8080' }).warnings, []);
  });

  it('prints itself with its secrets hidden', () => {
    const config = read({
      PROXIMA_INSTALL_TOKEN: 'hunter2',
      PROXIMA_NATS_URL: 'nats://user:hunter2@nats:4222',
      PROXIMA_BACKEND_URL: 'https://user:hunter2@console.example/',
    });
    const printed = describeConfig(config);
    assert.equal(printed.PROXIMA_NATS_URL, 'nats://[hidden]@nats:4222');
    assert.equal(printed.PROXIMA_BACKEND_URL, 'https://[hidden]@console.example');
    assert.equal(printed.PROXIMA_INSTALL_TOKEN, '[hidden]');
    assert.equal(printed.PROXIMA_METRICS_ADDR, ':9090');
    assert.doesNotMatch(JSON.stringify(printed), /hunter2/);
    assert.doesNotMatch(inspect(config.installToken, { showHidden: true, depth: 9 }), /hunter2/);
    assert.doesNotMatch(`${JSON.stringify(config.installToken)}${config.installToken}`, /hunter2/);
    assert.equal(config.installToken?.reveal(), 'hunter2');
  });

  it('cannot be changed', () => {
    assert.throws(() => Object.assign(read(), { podLimit: 1 }), TypeError);
  });

  it('lists every variable that it reads in the help, with its default', () => {
    const asked = new Set<string>();
    readConfig(
      new Proxy<Record<string, string>>(BASE, {
        get: (target, name: string) => {
          asked.add(name);
          return target[name];
        },
      }),
    );
    const help = settingsHelp();
    assert.ok(asked.size > 10);
    // Kubernetes sets its own address in every pod; nobody else should.
    const ours = [...asked].filter((variable) => !variable.startsWith('KUBERNETES_'));
    assert.equal(asked.size - ours.length, 2);
    for (const variable of ours) assert.match(help, new RegExp(`^  ${variable}$`, 'm'));
    assert.match(help, /PROXIMA_K8S_SYNC_INTERVAL\n.*Default: 5m\./);
    assert.match(help, /PROXIMA_BACKEND_URL\n.*Required\./);
  });
});
