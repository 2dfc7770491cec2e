import { expect, test } from "vitest";

import adminEN from "./admin.en.json";
import adminID from "./admin.id.json";
import en from "./en.json";
import id from "./id.json";

type Tree = { [key: string]: string | Tree };

function flatten(tree: Tree, prefix = ""): Map<string, string> {
  return new Map(Object.entries(tree).flatMap(([k, v]) => (typeof v === "string" ? [[prefix + k, v] as const] : [...flatten(v, prefix + k + ".")])));
}

const holes = (s: string) => [...s.matchAll(/\{\{(\w+)\}\}/g)].map((m) => m[1]).sort();

test("no sentence of administrators replaces one of all", () => {
  expect(Object.keys(adminID).filter((k) => k in id)).toEqual([]);
});

test.each([["all", id, en], ["administrators", adminID, adminEN]])("every sentence for %s is there in both languages, with the same holes", (_, inIndonesian, inEnglish) => {
  const indonesian = flatten(inIndonesian), english = flatten(inEnglish);
  expect([...english.keys()].sort()).toEqual([...indonesian.keys()].sort());
  for (const [key, text] of indonesian) {
    expect(text.trim(), key).not.toBe("");
    expect(holes(english.get(key)!), key).toEqual(holes(text));
  }
});
