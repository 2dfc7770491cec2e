import { afterEach, expect, test, vi } from "vitest";

import { verbs } from "./documents";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("the wait for another code is that of the service, if the clock of the device is an hour slow or fast", async () => {
  const data = { address: "s***@segel.test", next_at: "2026-11-02T08:01:00.000Z" };
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ response: { data } }), { headers: { Date: "Mon, 02 Nov 2026 08:00:00 GMT", "Content-Type": "application/json" } }));
  for (const device of ["2026-11-02T07:00:00Z", "2026-11-02T09:00:00Z"]) {
    vi.useFakeTimers({ now: new Date(device) });
    expect(await verbs.orderCode(1)).toEqual({ ...data, wait: 60_000 });
  }
});
