import { expect, test } from "vitest";

import { actionOf } from "./keys";

const press = (key: string, more: object = {}) => actionOf({ key, ctrlKey: false, metaKey: false, altKey: false, repeat: false, defaultPrevented: false, target: null, ...more });

test("j, k, s and ? have an action, in capitals too, and no other key", () => {
  expect(["j", "k", "s", "?", "J", "S"].map((key) => press(key))).toEqual(["next", "previous", "sign", "keys", "next", "sign"]);
  expect(["a", "Enter", " ", "Escape", "toString"].map((key) => press(key))).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test("a key does nothing with a modifier, while it is held down, and if it was handled", () => {
  for (const held of ["ctrlKey", "metaKey", "altKey", "repeat", "defaultPrevented"]) expect(press("s", { [held]: true }), held).toBeUndefined();
});

test("a key does nothing where it is typed", () => {
  const asked: string[] = [];
  const inside = (found: boolean) => ({ target: { closest: (selector: string) => (asked.push(selector), found ? {} : null) } });
  expect(press("s", inside(true))).toBeUndefined();
  expect(press("s", inside(false))).toBe("sign");
  for (const field of ["textarea", "select", "[contenteditable=true]", "[role=dialog]"]) expect(asked[0]).toContain(field);
});
