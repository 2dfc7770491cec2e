import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { currentLine, reportAnswer } from "./line";
import { fetchSteadily, NotSent, retryAfter, takesKey, Unanswered } from "./steady";

const sent: Request[] = [];
let answers: (Response | Error)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  sent.length = 0;
  vi.stubGlobal("fetch", async (request: Request | string, init?: RequestInit) => {
    if (typeof request === "string" && request.endsWith("/healthz")) throw new TypeError("the probe gets no answer");
    sent.push(new Request(request, init));
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (answer instanceof Error) throw answer;
    return answer.clone();
  });
});
afterEach(() => {
  reportAnswer();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const refusal = (status: number, code: string, retryable: boolean, header: Record<string, string> = {}) => new Response(JSON.stringify({ error: { code, retryable } }), { status, headers: header });
const sign = () => new Request("http://localhost/v1/econtract/web/sign/sign-docs", { method: "POST", body: `{"document_id":1}`, headers: { "Content-Type": "application/json" } });
const read = () => new Request("http://localhost/v1/auth/me");
const key = (r: Request) => r.headers.get("Idempotency-Key");

test("a read is tried again with growing pauses until the service answers, and the line is fine again", async () => {
  answers = [new TypeError("refused"), new Response("", { status: 502 }), new TypeError("refused"), new Response("{}")];
  const got = fetchSteadily(read());
  await vi.advanceTimersByTimeAsync(100);
  expect(currentLine().state).toBe("away");
  await vi.advanceTimersByTimeAsync(500 + 1000 + 2000);
  expect((await got).status).toBe(200);
  expect(sent.length).toBe(4);
  expect(sent.every((r) => key(r) === null)).toBe(true);
  expect(currentLine().state).toBe("fine");
});

test("a write is tried again with its key while it is unanswered or still being answered, and a later write has another key", async () => {
  answers = [new TypeError("cut"), refusal(409, "idempotency.running", true), new Response("{}")];
  const got = fetchSteadily(sign());
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await got).status).toBe(200);
  expect(sent.length).toBe(3);
  expect(new Set(sent.map(key)).size).toBe(1);
  await fetchSteadily(sign());
  expect(key(sent[3]!)).not.toBe(key(sent[0]!));
});

test("a write that stays unanswered is sent with the same key when the person tries again", async () => {
  answers = [new TypeError("cut")];
  const got = fetchSteadily(sign()).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await got).toBeInstanceOf(Unanswered);
  answers = [new Response("{}")];
  await fetchSteadily(sign());
  expect(new Set(sent.map(key)).size).toBe(1);
});

test("offline, a write is not sent at all", async () => {
  vi.stubGlobal("navigator", { onLine: false });
  answers = [new Response("{}")];
  await expect(fetchSteadily(sign())).rejects.toBeInstanceOf(NotSent);
  expect(sent).toEqual([]);
  expect(currentLine().state).toBe("offline");
});

test("what the service asks for is waited for, and a refusal that stays is not tried again", async () => {
  answers = [refusal(503, "server.unavailable", true, { "Retry-After": "7" }), new Response("{}")];
  const got = fetchSteadily(read());
  await vi.advanceTimersByTimeAsync(6900);
  expect(sent.length).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect((await got).status).toBe(200);
  expect(currentLine().state).toBe("fine"); // it answered

  for (const last of [refusal(503, "document.file_missing", false), refusal(409, "document.not_draft", false), refusal(500, "server.error", false)]) {
    sent.length = 0;
    answers = [last];
    expect((await fetchSteadily(sign())).status).toBe(last.status);
    expect(sent.length).toBe(1);
  }
  answers = [refusal(503, "server.clock", true, { "Retry-After": "60" })];
  sent.length = 0;
  expect((await fetchSteadily(sign())).status).toBe(503); // a person waits no minute
  expect(sent.length).toBe(1);
});

test("a login is sent once: the service takes no key for it", async () => {
  expect(["/v1/auth/session", "/v1/verify", "/segel/v1/uploads", "/v1/uploads/1", "/v1/admin/people"].filter((p) => takesKey("POST", p))).toEqual([]);
  expect(["/v1/econtract/web/sign/sign-docs", "/segel/v1/admin/quota"].every((p) => takesKey("POST", p))).toBe(true);
  answers = [new TypeError("cut")];
  await expect(fetchSteadily(new Request("http://localhost/v1/auth/session", { method: "POST", body: "{}" }))).rejects.toBeInstanceOf(Unanswered);
  expect(sent.length).toBe(1);
  expect(retryAfter(new Response("", { headers: { "Retry-After": "Thu, 01 Jan 1970 00:00:05 GMT" } }), 2000)).toBe(3000);
  expect(retryAfter(new Response(""))).toBeUndefined();
});
