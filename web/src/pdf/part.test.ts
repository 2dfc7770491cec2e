import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { reportAnswer } from "../api/line";
import { part } from "./part";

type Answer = () => Response | Promise<Response>;

const answer = (status: number, bytes = 0, range = "") => () => new Response(bytes ? new Uint8Array(bytes) : null, { status, headers: range ? { "Content-Range": range } : {} });
const whole = answer(206, 10, "bytes 20-29/100"), lost: Answer = () => Promise.reject(new TypeError("no network"));

let calls: number;
/** The service answers so to requests for the part, and not to the probe of the line. */
const answers = (...all: Answer[]) => vi.stubGlobal("fetch", async (url: string) => url.endsWith("/healthz") ? lost() : all[Math.min(calls++, all.length - 1)]!());
const ask = (patient: boolean, signal = new AbortController().signal) => part("/file", 20, 30, signal, () => patient);

beforeEach(() => {
  calls = 0;
  vi.useFakeTimers();
  vi.stubGlobal("sessionStorage", { getItem: () => null });
});
afterEach(() => {
  reportAnswer(); // ends the probe
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([
  ["lost", lost],
  ["refused for a while", answer(503)],
  ["one of too many", answer(429)],
  ["cut short", answer(206, 4, "bytes 20-23/100")],
  ["another part", answer(206, 10, "bytes 0-9/100")],
])("a part that is %s is asked for again", async (_, first) => {
  answers(first, whole);
  const got = ask(true);
  await vi.advanceTimersByTimeAsync(1000);
  expect((await got).byteLength).toBe(10);
  expect(calls).toBe(2);
});

test("of a file that is still to be opened nothing is asked for twice", async () => {
  answers(lost, whole);
  await expect(ask(false)).rejects.toMatchObject({ reason: "network", retryable: true });
  expect(calls).toBe(1);
});

test("a refusal is final and keeps its status", async () => {
  answers(answer(403), whole);
  await expect(ask(true)).rejects.toMatchObject({ code: 403 });
  expect(calls).toBe(1);
});

test("however long the line was cut, the part is asked for until it arrives, and at once when the service answers again", async () => {
  answers(...Array<Answer>(9).fill(lost), whole);
  const got = ask(true);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(calls).toBe(9);
  reportAnswer();
  await vi.advanceTimersByTimeAsync(0);
  expect((await got).byteLength).toBe(10);
});

test("an answer whose body is cut is not a failure of the line, so the pauses grow", async () => {
  const cut: Answer = () => new Response(new ReadableStream({ pull: (body) => body.error(new TypeError("cut")) }), { status: 206, headers: { "Content-Range": "bytes 20-29/100" } });
  const gone = new AbortController();
  vi.stubGlobal("fetch", async (url: string) => url.endsWith("/healthz") ? new Response() : (calls++, cut()));
  const got = expect(ask(true, gone.signal)).rejects.toThrow("aborted");
  await vi.advanceTimersByTimeAsync(100_000);
  expect(calls).toBeLessThanOrEqual(9);
  gone.abort();
  await got;
});

test("it gives up at once when the result is not needed any more", async () => {
  answers(lost);
  const gone = new AbortController(), got = expect(ask(true, gone.signal)).rejects.toThrow("aborted");
  await vi.advanceTimersByTimeAsync(100);
  gone.abort();
  await got;
  expect(calls).toBe(1);
});
