import { expect, test } from "vitest";

import { following, idsOf, readMany } from "./flow";

test("the address names each document once, and at most as many as one consent may cover", () => {
  expect(idsOf("3,1,3,x,-1,0,1.5,2")).toEqual([3, 1, 2]);
  expect(idsOf(Array.from({ length: 150 }, (_, i) => i + 1).join(","))).toHaveLength(100);
  expect(readMany({ ids: 7, read: "7" })).toEqual({ ids: "7", page: 1, read: 7 });
  expect(readMany({ ids: "x", page: "-2", read: "a" })).toEqual({ ids: undefined, page: 1, read: undefined });
});

test("after a document comes the next that is left, and after the last the first that is left", () => {
  const left = (...ids: number[]) => (id: number) => ids.includes(id);
  expect(following([1, 2, 3, 4], left(2, 4), 1)).toBe(2);
  expect(following([1, 2, 3, 4], left(2, 4), 2)).toBe(4);
  expect(following([1, 2, 3, 4], left(2), 4)).toBe(2);
  expect(following([1, 2, 3, 4], left(), 4)).toBeUndefined();
  expect(following([1, 2], left(1), 1)).toBeUndefined();
});
