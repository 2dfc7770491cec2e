import { expect, test } from "vitest";

import en from "./en.json";
import id from "./id.json";

type Tree = { [key: string]: string | Tree };

function flatten(tree: Tree, prefix = ""): Map<string, string> {
  return new Map(Object.entries(tree).flatMap(([k, v]) => (typeof v === "string" ? [[prefix + k, v] as const] : [...flatten(v, prefix + k + ".")])));
}

const holes = (s: string) => [...s.matchAll(/\{\{(\w+)\}\}/g)].map((m) => m[1]).sort();

test("every sentence is there in both languages, with the same holes", () => {
  const indonesian = flatten(id), english = flatten(en);
  expect([...english.keys()].sort()).toEqual([...indonesian.keys()].sort());
  for (const [key, text] of indonesian) {
    expect(text.trim(), key).not.toBe("");
    expect(holes(english.get(key)!), key).toEqual(holes(text));
  }
});
