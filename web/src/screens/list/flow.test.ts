import { expect, test } from "vitest";

import { noSearch } from "../../api/documents";
import { readSearch } from "./flow";

test("an address without parameters is the default list", () => {
  expect(readSearch({})).toEqual(noSearch);
});

test("what an address cannot mean is left out", () => {
  expect(readSearch({ page: -1, status: "no", periode: "2d", sort: "size", search: 2026, person: ["x"] })).toEqual({ ...noSearch, search: "2026" });
  expect(readSearch({ page: "3", status: "waiting", periode: "7d", sort: "deadline", person: "siti@contoh.id" })).toEqual({ page: 3, status: "waiting", periode: "7d", search: "", person: "siti@contoh.id", sort: "deadline" });
});
