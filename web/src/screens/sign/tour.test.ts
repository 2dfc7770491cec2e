import { expect, test } from "vitest";

import type { Placement } from "../../api/documents";
import { boxKey, inReadingOrder, nextBox } from "./tour";

const at = (page: number, ury: number, llx = 50): Placement => ({ user_id: "a", name: "A", type: "sign", page, box: { llx, lly: ury - 50, urx: llx + 100, ury }, filled: false });

test("boxes are in reading order: by page, from the top, from the left", () => {
  const boxes = [at(3, 200), at(1, 100), at(1, 700, 300), at(1, 700, 50)];
  expect(inReadingOrder(boxes)).toEqual([boxes[3], boxes[2], boxes[1], boxes[0]]);
});

test("the next box is the first that was not shown yet, and after all were shown the one after the last", () => {
  const [a, b, c] = [at(1, 100), at(2, 100), at(5, 100)];
  const order = [a!, b!, c!], keys = order.map(boxKey);
  expect(nextBox(order, new Set(), undefined)).toBe(a);
  expect(nextBox(order, new Set([keys[0]!]), undefined)).toBe(b);
  expect(nextBox(order, new Set([keys[0]!, keys[1]!]), keys[1])).toBe(c);
  expect(nextBox(order, new Set([keys[0]!, keys[2]!]), keys[2])).toBe(b);
  expect(nextBox(order, new Set(keys), keys[1])).toBe(c);
  expect(nextBox(order, new Set(keys), keys[2])).toBe(a);
  expect(nextBox([], new Set(), undefined)).toBeUndefined();
});
