import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { useSearchText } from "./search-text";

// Tests have no DOM to draw a component into. These hooks keep their values from one call of draw to the next.
const hooks = vi.hoisted(() => ({ kept: [] as unknown[], at: 0, stale: false }));
vi.mock("react", async (original) => {
  const use = <T>(first: () => T) => {
    const i = hooks.at++;
    if (!(i in hooks.kept)) hooks.kept[i] = first();
    return [hooks.kept[i] as T, (to: T) => { hooks.stale ||= hooks.kept[i] !== to; hooks.kept[i] = to; }] as const;
  };
  return { ...await original<typeof import("react")>(), useState: <T>(first: T) => use(() => first), useRef: <T>(current: T) => use(() => ({ current }))[0] };
});
vi.mock("@mantine/hooks", () => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return { useDebouncedCallback: (act: (to: string) => void, delay: number) => Object.assign((to: string) => { clearTimeout(timer); timer = setTimeout(() => act(to), delay); }, { cancel: () => clearTimeout(timer) }) };
});

let address: string;
function draw() {
  for (;;) {
    hooks.at = 0;
    hooks.stale = false;
    const drawn = useSearchText(address, (to) => { address = to; });
    if (!hooks.stale) return drawn;
  }
}
const type = (to: string) => draw()[1](to);
const shown = () => draw()[0];

beforeEach(() => {
  vi.useFakeTimers();
  hooks.kept = [];
  address = "x";
});
afterEach(() => void vi.useRealTimers());

test("a change of the address drops what was typed shortly before", () => {
  type("xy");
  address = ""; // the filters are cleared
  expect(shown()).toBe("");
  vi.advanceTimersByTime(1000);
  expect(address).toBe("");
  expect(shown()).toBe("");
});

test("what is typed on while the address gets the text before is kept", () => {
  type("xy");
  vi.advanceTimersByTime(300);
  type("xyz");
  expect([address, shown()]).toEqual(["xy", "xyz"]);
  vi.advanceTimersByTime(300);
  expect([address, shown()]).toEqual(["xyz", "xyz"]);
});
