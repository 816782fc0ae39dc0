import { expect, test } from 'vitest';
import { appMetrics } from './app-metrics.ts';

const page = (fast: number, all: number, failed: number): string => `
# HELP http_request_duration_seconds how long it took
# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{route="/",le="0.1"} ${fast}
http_request_duration_seconds_bucket{route="/",le="1"} ${fast}
http_request_duration_seconds_bucket{route="/",le="4"} ${all}
http_request_duration_seconds_bucket{route="/",le="+Inf"} ${all}
http_request_duration_seconds_count{route="/"} ${all}
http_requests_total{method="GET",code="200"} ${all - failed} 1700000000000
http_requests_total{method="GET",code="503"} ${failed}
process_resident_memory_bytes 1e8
`;

test('DC-19 Prometheus text is read as the difference of two readings', () => {
  const metrics = appMetrics({ before: page(100, 200, 100), after: page(190, 300, 120) }, 1000);
  // 100 requests in between: 10 of them between 1 and 4 s, 20 failed.
  expect(metrics).toMatchObject({ source: 'prometheus', errorRate: 0.2, requests: 100, slow: 10 });
  expect(metrics?.p99).toBeCloseTo(3700);
});

test('a counter that fell was restarted and counts from nothing', () => {
  const metrics = appMetrics({ before: page(900, 900, 900), after: page(10, 10, 5) }, 1000);
  expect(metrics).toMatchObject({ requests: 10, errorRate: 0.5 });
});

test('a summary gives its quantile, in milliseconds when its name says so', () => {
  const seconds = 'http_request_duration_seconds{quantile="0.99"} 2.5';
  const millis = 'http_request_duration_ms{quantile="0.99"} 2500';
  expect(appMetrics({ before: null, after: seconds }, 1000)?.p99).toBe(2500);
  expect(appMetrics({ before: millis, after: millis }, 1000)?.p99).toBe(2500);
});

test('DC-19 pages without known figures say nothing', () => {
  const nothing = [
    'process_cpu_seconds_total 12\nnodejs_eventloop_lag_seconds 0.1',
    '{"goroutines": 9000}',
    '[1, 2, 3]',
    '"p99"',
    '<!doctype html><p>p99</p>',
    '',
  ];
  expect(nothing.map((after) => appMetrics({ before: null, after }, 1000))).toEqual(
    nothing.map(() => null),
  );
  expect(appMetrics({ before: 'x', after: null }, 1000)).toBeNull();
});

test('JSON with known keys is read at any reasonable depth', () => {
  const after = JSON.stringify({ http: { latency: { p99_ms: 70 }, requests: 40, errors: 4 } });
  expect(appMetrics({ before: null, after }, 1000)).toEqual({
    source: 'json',
    errorRate: 0.1,
    p99: 70,
    requests: 40,
    slow: null,
  });
});
