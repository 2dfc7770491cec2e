import { expect, test } from "vitest";

import type { Person, Placement } from "../../api/documents";
import { sizeOf } from "../../ui/file-size";
import { bill, rounds } from "./bill";
import { readNew } from "./flow";
import { moment } from "../../ui/moment";
import { stem } from "./format";

const person = (user_id: string, number: number, acts_as: Person["acts_as"] = "signer") => ({ user_id, number, acts_as, role: ["viewer", "copy"].includes(acts_as) ? "viewer" : "signer" }) as Person;
const placed = (type: Placement["type"]) => ({ type }) as Placement;

test("each signer costs a signature and each stamp a stamp; viewers cost nothing", () => {
  expect(bill([person("o", 1), person("a", 2), person("v", 3, "viewer")], [placed("emet"), placed("sign")], "o")).toEqual({ emet: 1, esgn: 2, stampOnly: false });
});

test("a document that is only stamped costs no signature", () => {
  expect(bill([person("o", 1)], [placed("emet")], "o")).toEqual({ emet: 1, esgn: 0, stampOnly: true });
  expect(bill([], [placed("emet")], "o").stampOnly).toBe(true);
  expect(bill([person("a", 1)], [placed("emet")], "o")).toEqual({ emet: 1, esgn: 1, stampOnly: false });
  expect(bill([], [], "o").stampOnly).toBe(false);
});

test("a witness costs a signature, an approver none; a stamp waits for an approver", () => {
  expect(bill([person("a", 1, "approver"), person("b", 2), person("c", 3, "witness"), person("d", 4, "copy")], [placed("emet")], "o")).toEqual({ emet: 1, esgn: 2, stampOnly: false });
  expect(bill([person("o", 1, "approver")], [placed("emet")], "o")).toEqual({ emet: 1, esgn: 0, stampOnly: false });
});

test("a group costs one signature", () => {
  const group = (p: Person) => ({ ...p, group: 1 });
  expect(bill([group(person("a", 1)), group(person("b", 1)), person("c", 2), group(person("d", 1))], [placed("sign")], "o").esgn).toBe(2);
});

test("people act by their numbers, or all at once", () => {
  const all = [person("a", 1), person("b", 2), person("c", 2)];
  expect(rounds(all, false).map((r) => r.map((p) => p.user_id))).toEqual([["a"], ["b", "c"]]);
  expect(rounds(all, true)).toHaveLength(1);
  expect(rounds([], true)).toEqual([]);
});

test("an address without a document asks for its file", () => {
  expect(readNew({ step: "review" })).toEqual({ document: undefined, step: "file" });
  expect(readNew({ document: "7", step: "nonsense" })).toEqual({ document: 7, step: "people" });
  expect(readNew({ document: 7, step: "place" })).toEqual({ document: 7, step: "place" });
  expect(readNew({ document: 7, step: "place", box: "0" })).toEqual({ document: 7, step: "place", box: 0 });
  expect(readNew({ document: 7, step: "place", box: "-1" })).toEqual({ document: 7, step: "place" });
});

test("files and moments are told as people tell them", () => {
  expect(stem("Perjanjian v1.2.docx")).toBe("Perjanjian v1.2");
  expect(stem(".pdf")).toBe(".pdf");
  expect(sizeOf(1_500_000, "en")).toBe("1.5 MB");
  expect(moment(new Date(2026, 0, 2, 3, 4))).toBe("2026-01-02T03:04");
});
