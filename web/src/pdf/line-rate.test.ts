import { expect, test } from "vitest";

import { lineRate, type Loaded } from "./line-rate";

const loaded = (size: number, took: number, cached = false): Loaded => ({ encodedBodySize: size, transferSize: cached ? 0 : size + 300, responseStart: 100, responseEnd: 100 + took });

test("the line is as fast as most of what was loaded", () => {
  expect(lineRate([loaded(100_000, 2000), loaded(50_000, 1000), loaded(200_000, 100)], undefined)).toBe(50);
});

test("short answers and those from the cache say nothing, so what the browser believes counts", () => {
  const little = [loaded(5_000, 1), loaded(100_000, 1, true)];
  expect(lineRate(little, { effectiveType: "3g" })).toBe(0);
  expect(lineRate(little, { effectiveType: "4g" })).toBe(Infinity);
  expect(lineRate(little, undefined)).toBe(Infinity);
});

test("a reader who saves data has a slow line", () => {
  expect(lineRate([loaded(1_000_000, 1)], { saveData: true })).toBe(0);
});

test("an answer that arrived at once is not infinitely fast", () => {
  expect(lineRate([loaded(40_000, 0)], undefined)).toBe(40_000);
});
