import { expect, test } from "vitest";

import { Problem } from "../api/client";
import { Versioned } from "./versioned";

/** A service with one draft that two tabs change. */
function service() {
  const of = { version: 1, value: "a", lose: false };
  const tab = () => new Versioned<string>({ version: of.version, value: of.value }, {
    save: async (value, version) => {
      if (version !== of.version) throw new Problem(409, "document.version_changed", "changed");
      Object.assign(of, { version: of.version + 1, value });
      if (of.lose) { of.lose = false; throw new Problem(0, "network", "no answer", [], true); }
      return of.version;
    },
    read: async () => ({ version: of.version, value: of.value }),
    same: (a, b) => a === b,
  });
  return { of, tab };
}

test("the later of two tabs is refused and told what the other stored, and either may win", async () => {
  const { of, tab } = service();
  const one = tab(), two = tab();
  await one.send("b");
  await expect(two.send("c")).rejects.toThrow("changed");
  expect(of.value).toBe("b");
  expect(two.conflict).toEqual({ theirs: { version: 2, value: "b" } });
  await expect(two.send("d")).rejects.toThrow("changed"); // a repeat changes nothing
  expect(two.adopt()).toBe("b");
  await two.send("d");
  expect(of).toMatchObject({ version: 3, value: "d" });
  await expect(one.send("e")).rejects.toThrow("changed");
});

test("a change whose answer was lost is not taken for one of another tab", async () => {
  const { of, tab } = service();
  const one = tab();
  of.lose = true;
  await expect(one.send("b")).rejects.toThrow("no answer");
  await one.send("b");
  await one.send("c");
  expect(of).toMatchObject({ version: 3, value: "c" });
});

test("a change of another part of the draft is no conflict", async () => {
  const { of, tab } = service();
  const one = tab();
  of.version = 7;
  await one.send("b");
  expect(of).toMatchObject({ version: 8, value: "b" });
});
