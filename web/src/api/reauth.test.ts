import { afterEach, expect, test } from "vitest";

import { reauth } from "./reauth";

let remove = (): void => undefined;
afterEach(() => remove());

const refusal = (code: string) => new Response(JSON.stringify({ error: { code } }), { status: 403 });

test("requests that need a proof wait for one together, and are sent again after it", async () => {
  let proved = false, asked = 0, sent = 0;
  const request = async () => { sent++; return proved ? new Response("{}") : refusal("auth.reauthenticate"); };
  remove = reauth.onAsked(async () => { asked++; proved = true; return true; });
  expect((await Promise.all([reauth.send(request), reauth.send(request)])).map((a) => a.status)).toEqual([200, 200]);
  expect([asked, sent]).toEqual([1, 4]);
});

test("who cancels gets the refusal, with its words", async () => {
  remove = reauth.onAsked(async () => false);
  const answer = await reauth.send(async () => refusal("auth.reauthenticate"));
  expect([answer.status, await answer.json()]).toEqual([403, { error: { code: "auth.reauthenticate" } }]);
});

test("another refusal asks nothing", async () => {
  remove = reauth.onAsked(() => { throw new Error("asked"); });
  expect(await (await reauth.send(async () => refusal("request.not_allowed"))).json()).toEqual({ error: { code: "request.not_allowed" } });
});
