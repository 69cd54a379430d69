/** What stands in a text where a secret stood (SZ-24). */
export const MARKER = '[REDACTED]';
