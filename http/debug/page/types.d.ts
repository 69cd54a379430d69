/** What the stream and the JSON API send, as the page's scripts read it. */

export interface Transition {
  readonly number: number;
  readonly at: string;
  readonly edge: string;
  readonly region: string;
  readonly event: string;
  readonly guards: readonly { readonly name: string; readonly held: boolean }[];
  readonly from: string;
  readonly to: string;
  readonly outcome: string | null;
}

export interface Actor {
  readonly key: string;
  readonly client: string | null;
  readonly environment: string | null;
  readonly slug: string;
  readonly state: Readonly<Record<string, string>>;
  readonly queue: number;
  readonly reads_waiting: number;
  readonly lanes_busy: number;
  readonly syncing_since: string | null;
  readonly last_outcome: string | null;
  readonly last_outcome_at: string | null;
  readonly failures: number;
  readonly transitions: number;
  readonly crashes: number;
  readonly changed_at: string;
  /** In rows of the stream only. */
  readonly recent?: readonly Transition[];
}

export interface DiagramNode {
  readonly id: string;
  readonly key: string;
  readonly parent: string | null;
  readonly type: string;
  readonly initial: string | null;
  readonly invokes: readonly string[];
}

export interface DiagramEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string | null;
  readonly event: string;
  readonly guard: string | null;
  readonly actions: readonly string[];
}

export interface Diagram {
  readonly id: string;
  readonly nodes: readonly DiagramNode[];
  readonly edges: readonly DiagramEdge[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A placed state: absolute corner and size. */
export interface Box extends Point {
  readonly id: string;
  readonly node: DiagramNode | null;
  readonly kind: 'state' | 'region' | 'any';
  /** Its parent begins in it. */
  readonly isInitial: boolean;
  readonly width: number;
  readonly height: number;
  /** Transitions that stay inside, listed in the box. */
  readonly inner: readonly DiagramEdge[];
}

export interface Arrow {
  readonly id: string;
  readonly points: readonly Point[];
  readonly label: Point & { readonly width: number; readonly height: number };
  readonly lines: readonly string[];
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}
