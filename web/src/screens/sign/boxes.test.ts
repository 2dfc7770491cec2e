import { expect, test } from "vitest";

import type { Placement } from "../../api/documents";
import { pageRanges } from "../../ui/page-ranges";
import { colourOf, groupsOf } from "./boxes";

const box = { llx: 0, lly: 0, urx: 9, ury: 9 };
const at = (user_id: string, type: Placement["type"], page: number, filled = false): Placement => ({ user_id, name: user_id.toUpperCase(), type, page, box, filled });

test("boxes are gathered by person and kind, with their pages once and in order", () => {
  const groups = groupsOf([at("a", "sign", 2), at("b", "paraf", 3, true), at("b", "paraf", 1), at("b", "paraf", 1), at("a", "emet", 2, true)]);
  expect(groups.map((g) => [g.name, g.type, g.pages, g.filled])).toEqual([["A", "sign", [2], false], ["B", "paraf", [1, 3], false], ["A", "emet", [2], true]]);
});

test("a person has one colour, and another person another", () => {
  const all = [at("a", "sign", 1), at("b", "sign", 1), at("a", "paraf", 2)];
  expect(colourOf(all, "a")).not.toBe(colourOf(all, "b"));
  expect(colourOf(all, "nobody")).toBe(colourOf(all, "a"));
});

test("pages that follow each other are written as a range", () => {
  expect(pageRanges([])).toBe("");
  expect(pageRanges([4])).toBe("4");
  expect(pageRanges([9, 1, 2, 5, 4, 6, 2])).toBe("1, 2, 4\u20136, 9");
});
