/** Fields whose inside the simulation carries but does not look into. */
export type Fields = { readonly [key: string]: unknown };

export type Labels = { readonly [key: string]: string };

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedField {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: Fields;
  readonly subresource?: string;
}

/** `metadata` as the API shows it. Objects of the cluster are never changed in place: an update is a new object. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedField[];
}

export interface KubeObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastProbeTime?: string | null;
  readonly observedGeneration?: number;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly resources: { readonly requests?: Labels; readonly limits?: Labels };
  readonly env?: readonly Fields[];
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly protocol: string;
  }[];
  readonly restartPolicy?: 'Always';
  readonly volumeMounts?: readonly Fields[];
  readonly readinessProbe?: Fields;
  readonly [field: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly nodeName?: string;
  readonly nodeSelector?: Labels;
  readonly serviceAccountName?: string;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  readonly hostNetwork?: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly tolerations?: readonly Toleration[];
  readonly volumes?: readonly Fields[];
  readonly [field: string]: unknown;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface PodTemplate {
  readonly metadata: {
    readonly labels: Labels;
    readonly annotations?: Labels;
    readonly creationTimestamp?: string | null;
  };
  readonly spec: PodSpec;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
  readonly state: ContainerState;
  readonly lastState: ContainerState;
}

export interface ContainerState {
  readonly running?: { readonly startedAt: string };
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly reason: string;
    readonly startedAt: string;
    readonly finishedAt: string;
    readonly containerID?: string;
  };
}

export interface PodStatus {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly hostIP?: string;
  readonly podIP?: string;
  readonly startTime?: string;
  readonly [field: string]: unknown;
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

export interface LabelSelector {
  readonly matchLabels: Labels;
}

export interface ReplicaStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly updatedReplicas?: number;
  readonly conditions?: readonly Condition[];
  readonly [field: string]: unknown;
}

/** Deployment or Rollout: both own ReplicaSets by template hash. A Rollout may lack `replicas` and `template`. */
export interface Rolling extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly selector?: LabelSelector;
    readonly template?: PodTemplate;
    readonly strategy?: Fields;
    readonly workloadRef?: { readonly apiVersion: string; readonly kind: string; readonly name: string };
    readonly [field: string]: unknown;
  };
  readonly status: ReplicaStatus;
}

export interface ReplicaSet extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
  };
  readonly status: ReplicaStatus;
}

export interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly selector: LabelSelector;
    readonly serviceName: string;
    readonly template: PodTemplate;
    readonly volumeClaimTemplates?: readonly {
      readonly metadata: { readonly name: string };
      readonly spec: Fields;
    }[];
    readonly [field: string]: unknown;
  };
  readonly status: ReplicaStatus & { readonly currentRevision?: string; readonly updateRevision?: string };
}

export interface DaemonSet extends KubeObject {
  readonly spec: {
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly [field: string]: unknown;
  };
  readonly status: Fields;
}

export interface JobSpec {
  readonly completions?: number;
  readonly parallelism?: number;
  readonly backoffLimit?: number;
  readonly suspend?: boolean;
  readonly selector?: LabelSelector;
  readonly template: PodTemplate;
  readonly [field: string]: unknown;
}

export interface Job extends KubeObject {
  readonly spec: JobSpec;
  readonly status: {
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly conditions?: readonly Condition[];
    readonly [field: string]: unknown;
  };
}

export interface CronJob extends KubeObject {
  readonly spec: {
    readonly schedule: string;
    readonly suspend: boolean;
    readonly jobTemplate: { readonly metadata?: { readonly labels?: Labels }; readonly spec: JobSpec };
    readonly [field: string]: unknown;
  };
  readonly status: {
    readonly active?: readonly Fields[];
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
  };
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  readonly timeAdded?: string;
}

export interface Node extends KubeObject {
  readonly spec: {
    readonly podCIDR?: string;
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
    readonly unschedulable?: boolean;
    readonly [field: string]: unknown;
  };
  readonly status: {
    readonly capacity: Labels;
    readonly allocatable: Labels;
    readonly conditions: readonly Condition[];
    readonly addresses: readonly { readonly type: string; readonly address: string }[];
    readonly nodeInfo: Labels;
    readonly [field: string]: unknown;
  };
}

export interface Namespace extends KubeObject {
  readonly spec: { readonly finalizers?: readonly string[] };
  readonly status: { readonly phase: 'Active' | 'Terminating' };
}

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: string;
  readonly targetPort: number | string;
  readonly nodePort?: number;
  readonly appProtocol?: string;
}

export interface Service extends KubeObject {
  readonly spec: {
    readonly type: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
    readonly clusterIP?: string;
    readonly ports?: readonly ServicePort[];
    readonly selector?: Labels;
    readonly [field: string]: unknown;
  };
  readonly status: { readonly loadBalancer: Fields };
}

export interface EndpointSlice extends KubeObject {
  readonly addressType: 'IPv4';
  readonly endpoints: readonly {
    readonly addresses: readonly string[];
    readonly conditions: {
      readonly ready: boolean;
      readonly serving: boolean;
      readonly terminating: boolean;
    };
    readonly nodeName?: string;
    readonly zone?: string;
    readonly targetRef?: Fields;
  }[];
  readonly ports: readonly { readonly name: string; readonly port: number; readonly protocol: string }[];
}

export interface KubeEvent extends KubeObject {
  readonly involvedObject: {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly [field: string]: unknown;
  };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component?: string; readonly host?: string };
  readonly firstTimestamp: string | null;
  readonly lastTimestamp: string | null;
  readonly count?: number;
  readonly eventTime: string | null;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
  readonly action?: string;
}

export interface ResourceQuota extends KubeObject {
  readonly spec: { readonly hard: Labels };
  readonly status: { readonly hard?: Labels; readonly used?: Labels };
}

export interface HorizontalPodAutoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly apiVersion: string; readonly kind: string; readonly name: string };
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly metrics: readonly Fields[];
    readonly [field: string]: unknown;
  };
  readonly status: {
    readonly currentReplicas?: number;
    readonly desiredReplicas: number;
    readonly currentMetrics?: readonly Fields[] | null;
    readonly conditions?: readonly Condition[];
    readonly lastScaleTime?: string;
    readonly observedGeneration?: number;
  };
}

export interface Lease extends KubeObject {
  readonly spec: Fields;
}

export interface NodeMetrics extends KubeObject {
  readonly timestamp: string;
  readonly window: string;
  readonly usage: { readonly cpu: string; readonly memory: string };
}

/** An object whose spec and status the simulation only carries. */
export interface Plain extends KubeObject {
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly [field: string]: unknown;
}

/** The object type of every resource of `resources.ts`, by its key. */
export interface Kinds {
  nodes: Node;
  namespaces: Namespace;
  pods: Pod;
  services: Service;
  persistentvolumeclaims: Plain;
  events: KubeEvent;
  resourcequotas: ResourceQuota;
  endpoints: Plain;
  deployments: Rolling;
  statefulsets: StatefulSet;
  daemonsets: DaemonSet;
  replicasets: ReplicaSet;
  controllerrevisions: Plain;
  jobs: Job;
  cronjobs: CronJob;
  ingresses: Plain;
  networkpolicies: Plain;
  horizontalpodautoscalers: HorizontalPodAutoscaler;
  endpointslices: EndpointSlice;
  leases: Lease;
  rollouts: Rolling;
  applications: Plain;
}

export type ResourceKey = keyof Kinds;
