import { defineKind, integer, list, map, nullable, object, shape, text, texts } from './define.ts';
import { labelSelector, namespacedIdentity } from './shapes.ts';

const port = shape({
  protocol: text(),
  /** A number or a container port's name, as text; null means every port. */
  port: nullable(text()),
  end_port: nullable(integer()),
});

const peer = shape({
  pod_selector: nullable(object(labelSelector)),
  namespace_selector: nullable(object(labelSelector)),
  ip_block: nullable(object(shape({ cidr: text(), except: texts() }))),
});

/** One rule: no peers means from or to anywhere, no ports means every port. */
const rule = shape({ ports: list(port), peers: list(peer) });

/** NetworkPolicies (NetworkingV1). */
export const networkPolicies = defineKind({
  name: 'network_policies',
  table: 'k8s_network_policies',
  path: 'network-policies',
  kubernetesKinds: ['NetworkPolicy'],
  coverage: 'networkpolicies',
  fields: {
    ...namespacedIdentity,
    pod_selector: object(labelSelector),
    policy_types: texts(),
    ingress: list(rule),
    egress: list(rule),
    labels: map(),
    annotations: map(),
  },
  sortKeys: {},
});
