import { expect, test, vi } from "vitest";

import { eventsOf } from "./events";

const stream = (...pieces: string[]) =>
  new ReadableStream<Uint8Array>({
    start(c) {
      for (const p of pieces) c.enqueue(new TextEncoder().encode(p));
      c.close();
    },
  });

test("events are found wherever the network cuts them", async () => {
  const whole = 'event: progress\nid: 9\ndata: {"a":1}\n\n: comment\n\nevent: progress\r\ndata: {"b":\r\ndata: 2}\r\n\r\ndata: unfinished';
  for (let cut = 0; cut < whole.length; cut++) {
    const seen: string[] = [];
    for await (const data of eventsOf(stream(whole.slice(0, cut), whole.slice(cut)))) seen.push(data);
    expect(seen).toEqual(['{"a":1}', '{"b":\n2}']);
  }
});

test("a stream that says nothing for a minute and a half is broken, and one with comments is not", async () => {
  vi.useFakeTimers();
  let say: (text: string) => void = () => undefined;
  const events = eventsOf(new ReadableStream<Uint8Array>({ start(c) { say = (text) => c.enqueue(new TextEncoder().encode(text)); } }));
  const next = events.next();
  for (let i = 0; i < 9; i++) {
    await vi.advanceTimersByTimeAsync(45_000);
    say(": comment\n\n");
  }
  await vi.advanceTimersByTimeAsync(45_000);
  say("data: 1\n\n");
  expect((await next).value).toBe("1");
  const silent = expect(events.next()).rejects.toThrow("silent");
  await vi.advanceTimersByTimeAsync(90_000);
  await silent;
  vi.useRealTimers();
});
