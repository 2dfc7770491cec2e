import { afterEach, expect, test, vi } from "vitest";

import { guest } from "./guest";
import { kept } from "./kept";

afterEach(() => vi.unstubAllGlobals());

const denied = () => { throw new DOMException("denied", "SecurityError"); };
const full = { getItem: () => null, setItem: () => { throw new DOMException("full", "QuotaExceededError"); }, removeItem: () => undefined };

test.each([["blocked", { getItem: denied, setItem: denied, removeItem: denied }], ["full", full]])("where storage is %s, what is kept lasts as long as the page", (_, storage) => {
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("sessionStorage", storage);
  kept.write("a", "1");
  expect(kept.read("a")).toBe("1");
  kept.remove("a");
  expect(kept.read("a")).toBeNull();

  guest.enter({ token: "t", document: 7, person: "p", name: "Budi" });
  expect([guest.token(), guest.document()]).toEqual(["t", 7]);
  guest.leave();
  expect(guest.token()).toBeUndefined();
});

test("a value for which the storage has no space replaces the one that is stored", () => {
  vi.stubGlobal("localStorage", { ...full, getItem: () => "former" });
  kept.write("a", "newer");
  expect(kept.read("a")).toBe("newer");
  kept.remove("a");
});

test("what is kept is in the storage of the browser", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: (k: string) => stored.get(k) ?? null, setItem: (k: string, v: string) => stored.set(k, v), removeItem: (k: string) => stored.delete(k) });
  kept.write("a", "1");
  expect([...stored]).toEqual([["a", "1"]]);
  stored.set("a", "2"); // another tab
  expect(kept.read("a")).toBe("2");
  kept.remove("a");
  expect(stored.size).toBe(0);
});
