import { expect, test } from "vitest";

import { isFiltered, periodOf, readAdmin, withoutFilters } from "./flow";

test("an address with nothing, or with nonsense, is the first page of the people", () => {
  const first = { tab: "people", page: 1, only: undefined };
  expect(readAdmin({})).toEqual(first);
  expect(readAdmin({ tab: "x", page: -1, only: "", find: {}, document: "1e400", person: [], from: "2024-13-01", until: "yesterday", organisation: null, quotas: 0 })).toEqual(first);
});

test("an address has every filter", () => {
  const search = { tab: "log", page: 2, only: "signed", step: "stamped", document: 1207, person: "siti@contoh.id", from: "2024-10-14", until: "2024-10-15", organisation: "org" };
  expect(readAdmin({ ...search, page: "2", document: "1207" })).toEqual(search);
  expect(readAdmin({ find: 123 }).find).toBe("123");
  expect(isFiltered(readAdmin(search))).toBe(true);
  expect(isFiltered(withoutFilters(readAdmin(search)))).toBe(false);
  expect(withoutFilters(readAdmin(search))).toEqual({ tab: "log", page: 1, organisation: "org" });
});

test("a period includes its last day", () => {
  const { from, until } = periodOf({ from: "2024-10-31", until: "2024-10-31" });
  expect(new Date(until!).getTime() - new Date(from!).getTime()).toBe(24 * 60 * 60 * 1000);
  expect(periodOf({})).toEqual({});
});
