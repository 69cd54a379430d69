/** A Kubernetes `Time`: RFC 3339, UTC, whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A Kubernetes `MicroTime`: six digits after the second. `micros` (0 to 999) fills what a millisecond clock lacks. */
export function microTimeText(ms: number, micros = 0): string {
  return `${new Date(ms).toISOString().slice(0, 23)}${String(micros).padStart(3, '0')}Z`;
}
