import { expect, test } from "vitest";

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
