/**
 * The line sanitizer: megabytes per second of ordinary log lines, and the slowest of the hostile lines of 64 KiB, on one core.
 * `node bench/sanitize.ts [rounds]`.
 */

import { sanitizeLine, visitsOf } from '../rules/scrub/line.ts';
import { hostileLines } from './hostileLines.ts';

const ROUNDS = Number(process.argv[2] ?? 9);
const LEAST_MB_PER_SECOND = 20;
const MOST_MS = 50;

/** Lines as services, Kubernetes and web servers write them; the numbers differ, as they do in a log. */
function ordinaryLines(count: number): string[] {
  const hex = (seed: number, length: number) =>
    Array.from({ length }, (_, i) => ((seed * (i + 7) * 2_654_435_761) >>> 28).toString(16)).join('');
  const forms: ((i: number) => string)[] = [
    (i) =>
      `2026-11-30T12:00:00.${i % 1000}Z INFO [http-exec-${i % 8}] order ${i} placed by user ${i % 97} in ${i % 50} ms`,
    (i) =>
      `level=info ts=1764500000.${i} caller=server.go:${i % 900} msg="request handled" method=GET path=/api/v1/orders/${i} status=200 took=${i % 90}ms`,
    (i) =>
      `{"level":"info","ts":${i},"logger":"controller","msg":"Reconciled","namespace":"shop","name":"api-${i % 40}","trace_id":"${hex(i, 32)}"}`,
    (i) =>
      `10.0.${i % 256}.7 - - [30/Nov/2026:12:00:00 +0000] "GET /orders?page=${i % 9}&sort=-age HTTP/1.1" 200 ${i} "-" "Mozilla/5.0 (X11; Linux x86_64)"`,
    (i) =>
      `I1130 12:00:00.${i % 999999}       1 event.go:389] "Event occurred" object="shop/api-${i % 40}" kind="ReplicaSet" reason="SuccessfulCreate"`,
    (i) => `\tat com.example.shop.OrderController.place(OrderController.java:${i % 400})`,
    (i) =>
      `Readiness probe failed: Get "http://10.0.0.${i % 250}:8080/healthz": dial tcp: connect: connection refused`,
  ];
  return Array.from({ length: count }, (_, i) => (forms[i % forms.length] as (i: number) => string)(i));
}

const median = (figures: number[]): number =>
  figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;

/** Milliseconds of this process on a processor, so that other work beside it does not count. */
function timed(run: () => void): number {
  const begun = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

const lines = ordinaryLines(50_000);
const megabytes = lines.reduce((sum, line) => sum + line.length + 1, 0) / 1e6;
const changed = lines.filter((line) => sanitizeLine(line) !== line);
if (changed.length > 0) throw new Error(`an ordinary line was changed: ${changed[0]}`);

const speeds = Array.from({ length: ROUNDS }, () => {
  const ms = timed(() => {
    for (const line of lines) sanitizeLine(line);
  });
  return megabytes / (ms / 1000);
});
const speed = median(speeds);
console.log(
  `ordinary lines: ${speed.toFixed(1)} MB/s, best ${Math.max(...speeds).toFixed(1)} (goal: ${LEAST_MB_PER_SECOND})`,
);

const slow = hostileLines()
  .map(([name, line]) => {
    const rounds = Array.from({ length: ROUNDS }, () => timed(() => sanitizeLine(line)));
    return { name, first: rounds[0] ?? 0, ms: median(rounds), visits: visitsOf(line) / line.length };
  })
  .sort((a, b) => b.ms - a.ms);
console.log(`hostile lines of 64 KiB, slowest first (goal: ${MOST_MS} ms)`);
console.log('| line | ms | first time ms | characters looked at for each |');
console.log('| --- | --- | --- | --- |');
for (const { name, ms, first, visits } of slow.slice(0, 5)) {
  console.log(`| ${name} | ${ms.toFixed(1)} | ${first.toFixed(1)} | ${visits.toFixed(1)} |`);
}

if (speed < LEAST_MB_PER_SECOND || (slow[0]?.ms ?? 0) > MOST_MS) process.exitCode = 1;
