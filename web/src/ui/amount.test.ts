import { expect, test } from "vitest";

import { amount } from "./amount";

test("a badge has at most three digits", () => {
  expect([0, 7, 999].map((n) => amount(n))).toEqual(["0", "7", "999"]);
  expect([1000, 123_456].map((n) => amount(n))).toEqual(["999+", "999+"]);
  expect(amount(12, true)).toBe("12+");
  expect(amount(10_000, true)).toBe("999+");
});
