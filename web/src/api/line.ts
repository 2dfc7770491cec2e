import { useEffect, useState, useSyncExternalStore } from "react";

import { base } from "./base";

/** What the last requests said about the connection to the service, and since when; "away": the service does not answer. */
export type Line = { state: "fine" } | { state: "offline" | "away"; since: number };

const fine: Line = { state: "fine" };
let line: Line = fine;
let probe: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Whether the browser itself says that there is no network. It does not know whether the network reaches the service. */
export const browserOffline = () => typeof navigator !== "undefined" && navigator.onLine === false;

function become(next: Line): void {
  if (next.state === line.state) return;
  line = next;
  for (const listener of listeners) listener();
}

/** Call for each answer of the service, also for a refusal. */
export function reportAnswer(): void {
  clearTimeout(probe);
  probe = undefined;
  become(fine);
}

/** Call for each request that got no answer, or one of a proxy without its service. */
export function reportFailure(): void {
  become({ state: browserOffline() ? "offline" : "away", since: line.state === "fine" ? Date.now() : line.since });
  if (probe === undefined) look(1000);
}

/** Asks whether the service answers again, with growing pauses. The screen may send no request that would show it. */
function look(pause: number): void {
  probe = setTimeout(() => {
    probe = undefined;
    fetch(`${base}/healthz`, { cache: "no-store", credentials: "omit" }).then((answer) => {
      if (answer.ok) return reportAnswer();
      throw new Error(`HTTP ${answer.status}`);
    }).catch(() => {
      if (line.state === "fine" || probe !== undefined) return;
      become({ state: browserOffline() ? "offline" : "away", since: line.since });
      look(Math.min(pause * 2, 15_000));
    });
  }, pause);
}

export function onLine(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const currentLine = () => line;

/** Waits, but not longer than until the service answers again. Rejects if that is not awaited any more. */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void) => () => { clearTimeout(timer); ignore(); signal.removeEventListener("abort", stop); then(); };
    const stop = end(() => reject(new DOMException("aborted", "AbortError")));
    const timer = setTimeout(end(resolve), ms);
    const ignore = onLine(end(resolve));
    signal.addEventListener("abort", stop, { once: true });
  });
}

export const useLine = () => useSyncExternalStore(onLine, currentLine);

/** When each request that is tried again got its first failure. */
const tried = new Set<{ since: number }>();

/** Call when a request is going to be tried again, and what it returns when that has ended. */
export function reportRetry(): () => void {
  const entry = { since: Date.now() };
  tried.add(entry);
  return () => tried.delete(entry);
}

/** After how long people are told that an answer is awaited in vain, in milliseconds. */
const tellAfter = 2000;

/** Whether requests have been tried again for so long that people should be told, at the place where the answer is missing. */
export function useTrying(): boolean {
  const [long, setLong] = useState(false);
  useEffect(() => {
    const check = () => setLong([...tried].some((t) => Date.now() - t.since >= tellAfter));
    const timer = setInterval(check, 250);
    return () => clearInterval(timer);
  }, []);
  return long;
}

if (typeof window !== "undefined") {
  window.addEventListener("offline", reportFailure);
  window.addEventListener("online", () => {
    if (line.state === "fine") return;
    clearTimeout(probe);
    look(0);
  });
}
