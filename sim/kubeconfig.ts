/** A kubeconfig of one cluster, one user with a bearer token, and the context of both, as YAML. */
export function kubeconfigText(url: string, token: string): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: simulated
    cluster:
      server: ${JSON.stringify(url)}
users:
  - name: simulated
    user:
      token: ${JSON.stringify(token)}
contexts:
  - name: simulated
    context:
      cluster: simulated
      user: simulated
current-context: simulated
`;
}
