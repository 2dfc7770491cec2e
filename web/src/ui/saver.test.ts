import { expect, test, vi } from "vitest";

import { Problem } from "../api/client";
import { Saver } from "./saver";

test("many changes are one sending, of the newest", async () => {
  const sent: number[] = [];
  const s = new Saver<number>(async (v) => sent.push(v));
  s.change(1);
  s.change(2);
  expect(await s.flush()).toBe(true);
  expect(sent).toEqual([2]);
});

test("two sendings never overlap, and the last value arrives last", async () => {
  let release = () => {};
  let at = 0, most = 0;
  const sent: number[] = [];
  const s = new Saver<number>(async (v) => {
    most = Math.max(most, ++at);
    if (v === 1) await new Promise<void>((r) => (release = r));
    sent.push(v);
    at--;
  });
  s.change(1);
  const first = s.flush();
  s.change(2);
  const second = s.flush();
  release();
  await Promise.all([first, second]);
  expect(sent).toEqual([1, 2]);
  expect(most).toBe(1);
  expect(s.state).toBe("saved");
});

test("what broke is tried again, what was refused is not", async () => {
  vi.useFakeTimers();
  let times = 0;
  const broken = new Saver<string>(async () => { if (++times < 3) throw new Problem(503, "busy", "", [], true); });
  broken.change("x");
  await vi.advanceTimersByTimeAsync(500);
  expect(broken.state).toBe("failed");
  await vi.advanceTimersByTimeAsync(5000);
  expect([broken.state, times]).toEqual(["saved", 3]);

  let refusals = 0;
  const refused = new Saver<string>(async () => { refusals++; throw new Problem(422, "bad", ""); });
  refused.change("x");
  await vi.advanceTimersByTimeAsync(60_000);
  expect([refused.state, refusals]).toEqual(["failed", 1]);
  vi.useRealTimers();
});
