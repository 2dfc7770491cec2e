import { expect, test } from "vitest";

import { Ahead, chunk } from "./ranges";

test("who reads on is given twice as much each time, up to a bound; who jumps is given what he asks for", () => {
  const length = 300 * chunk + 5, a = new Ahead(length);
  const sizes: number[] = [];
  for (let at = 0; at < length;) {
    const to = a.from(at, Math.min(at + chunk, length));
    sizes.push((to - at) / chunk);
    at = to;
  }
  expect(sizes.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 32, 32]);
  expect(sizes.reduce((x, y) => x + y)).toBeCloseTo(300, 3); // to the last byte, and nothing twice

  const b = new Ahead(length);
  expect(b.from(100 * chunk, 101 * chunk)).toBe(101 * chunk);
  expect(b.from(50 * chunk, 53 * chunk)).toBe(53 * chunk);
  expect(b.from(99 * chunk, 100 * chunk)).toBe(100 * chunk);
  expect(b.from(53 * chunk, 54 * chunk)).toBe(55 * chunk);
  expect(b.from(97 * chunk, 98 * chunk)).toBe(98 * chunk);
  expect(b.from(98 * chunk, 99 * chunk)).toBe(99 * chunk); // what follows is here already
});
