import { expect, test } from "vitest";

import { pageInstead } from "./page-within";

test("an empty page behind the end of a list gives way to the last one, and an empty list stays", () => {
  expect(pageInstead(3, { total_display: 0, total_page: 2 })).toBe(2);
  expect(pageInstead(9, { total_display: 0, total_page: 0 })).toBe(1);
  expect(pageInstead(3, { total_display: 0, total_page: 40 })).toBe(2); // of a list that was not counted to its end
  expect(pageInstead(1, { total_display: 0, total_page: 0 })).toBeUndefined();
  expect(pageInstead(2, { total_display: 1, total_page: 2 })).toBeUndefined();
});
