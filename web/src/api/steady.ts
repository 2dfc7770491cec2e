import { browserOffline, reportAnswer, reportFailure, reportRetry } from "./line";

/** A request that was not sent, because the browser has no network. Nothing was done. */
export class NotSent extends Error {}

/** A request that may have arrived, and got no answer. */
export class Unanswered extends Error {}

/** How long requests are tried again, in milliseconds. A reader waits; a person who pressed a button wants to know. */
const retryFor = { read: 60_000, write: 20_000 };

/**
 * Idempotency keys of requests without a final answer, by request. The person who presses the button again sends the same
 * request with the same key, and nothing is done twice.
 */
const unanswered = new Map<string, string>();

/** A random name. Browsers have no randomUUID on unencrypted connections. */
export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");

/** Whether the service accepts a key at an address; see docs/interface.md, "Repeated requests". */
export function takesKey(method: string, path: string): boolean {
  return method === "POST" && !/\/v1\/(auth|verify|uploads)(\/|$)/.test(path) && !/\/v1\/admin\/people(\/[^/]+\/password)?$/.test(path);
}

/** The pause that an answer asks for, in milliseconds (RFC 9110 §10.2.3). */
export function retryAfter(answer: Response | undefined, now = Date.now()): number | undefined {
  const value = answer?.headers.get("Retry-After");
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** What an answer means for the request: it is final, it may succeed in a moment, or there is no service behind the proxy. */
async function outcomeOf(answer: Response | undefined): Promise<"final" | "again" | "away"> {
  if (!answer || answer.status === 502 || answer.status === 504) return "away";
  if (answer.status !== 503 && answer.status !== 409) return "final";
  const body = (await answer.clone().json().catch(() => undefined)) as { error?: { code?: string; retryable?: boolean } } | undefined;
  if (answer.status === 409) return body?.error?.code === "idempotency.running" ? "again" : "final";
  if (!body?.error) return "away";
  return body.error.retryable ? "again" : "final";
}

const wait = (ms: number, signal: AbortSignal) => new Promise<void>((resolve, reject) => {
  const stop = () => { clearTimeout(timer); reject(signal.reason as Error); };
  const timer = setTimeout(() => { signal.removeEventListener("abort", stop); resolve(); }, ms);
  signal.addEventListener("abort", stop, { once: true });
});

function sendOnce(request: Request, json: string | undefined, key: string | undefined): Promise<Response> {
  const headers = new Headers(request.headers);
  if (key) headers.set("Idempotency-Key", key);
  const { url, method, credentials, signal } = request;
  return json === undefined ? fetch(new Request(request.clone(), { headers })) : fetch(url, { method, headers, credentials, signal, body: json });
}

/**
 * Fetches, and tries again with growing pauses while the service does not answer: reads, and writes with an idempotency
 * key. Other requests are sent once.
 */
export async function fetchSteadily(request: Request): Promise<Response> {
  const reads = request.method === "GET" || request.method === "HEAD";
  if (!reads && browserOffline()) {
    reportFailure();
    throw new NotSent("offline");
  }
  const keyed = takesKey(request.method, new URL(request.url).pathname);
  // JSON is short and kept as text, to be sent again. Forms have files, which are not read into memory.
  const json = /\bjson\b/.test(request.headers.get("Content-Type") ?? "") ? await request.text() : undefined;
  const name = keyed ? `${request.url}\n${json ?? ""}` : "";
  const key = keyed ? unanswered.get(name) ?? newKey() : undefined;
  if (key) unanswered.set(name, key);
  const until = Date.now() + (reads ? retryFor.read : retryFor.write);
  let ended = () => {};
  try {
    for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
      let answer: Response | undefined, failure: unknown;
      try {
        answer = await sendOnce(request, json, key);
      } catch (error) {
        if (request.signal.aborted) throw error;
        failure = error;
      }
      const outcome = await outcomeOf(answer);
      if (outcome === "away") reportFailure();
      else reportAnswer();
      if (answer && outcome === "final") {
        if (answer.status < 500 && answer.status !== 429 && answer.status !== 401) unanswered.delete(name);
        return answer;
      }
      const next = Math.max(retryAfter(answer) ?? 0, pause);
      if (!(reads || key) || Date.now() + next > until) {
        if (answer) return answer;
        throw reads ? failure : new Unanswered(String(failure));
      }
      if (pause === 500) ended = reportRetry();
      await wait(next, request.signal);
    }
  } finally {
    ended();
  }
}
