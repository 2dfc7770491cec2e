import { expect, test } from "vitest";

import { declinedBy } from "./declined";

const person = (user_id: string, name: string, signing_status = false) => ({ user_id, name, email: `${user_id}@example.test`, signing_status });
const line = (type: string, name: string) => ({ type, name, dateTime: "2026-02-03T04:05:06.000Z" });

test("who declined is the one whom the history names", () => {
  const trail = [line("signed", "Satu"), line("viewed", "Dua"), line("rejected", "Dua")];
  expect(declinedBy([person("a", "Satu", true), person("b", "Dua")], trail)).toEqual({ person: "b", at: "2026-02-03T04:05:06.000Z" });
  expect(declinedBy([person("b", "Dua")], [line("canceled", "Dua")])).toBeUndefined();
});

test("of two of one name the one who signed did not decline; of two who did not, neither is named", () => {
  const trail = [line("rejected", "Siti")];
  expect(declinedBy([person("a", "Siti", true), person("b", "Siti")], trail)?.person).toBe("b");
  expect(declinedBy([person("a", "Siti"), person("b", "Siti")], trail)).toBeUndefined();
});
