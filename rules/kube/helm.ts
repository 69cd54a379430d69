/** The Helm release that an object says it belongs to (U-32). */

export interface HelmIdentity {
  readonly helm_release: string | null;
  readonly helm_chart: string | null;
  readonly helm_chart_version: string | null;
}

/** `name-version`, split at the first dash before a whole semantic version; a chart's name may hold digits and dashes. */
const CHART = /^(.+?)-(v?\d+\.\d+\.\d+(?:[-+_.0-9A-Za-z]*))$/;

/**
 * Release from the annotation that Helm writes on what it installs, chart and version from the label `helm.sh/chart`
 * by Helm's convention. A label can't hold the `+` of a version, so charts write `_`. A label that was cut at 63
 * characters may have lost its version: then all of it is the chart.
 */
export function helmIdentity(
  labels: Readonly<Record<string, string>> | null | undefined,
  annotations: Readonly<Record<string, string>> | null | undefined,
): HelmIdentity {
  const label = labels?.['helm.sh/chart'] || null;
  const [, chart = label, version = null] = CHART.exec(label ?? '') ?? [];
  return {
    helm_release: annotations?.['meta.helm.sh/release-name'] || null,
    helm_chart: chart,
    helm_chart_version: version?.replaceAll('_', '+') ?? null,
  };
}
