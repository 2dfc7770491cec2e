import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { base } from "./base";
import { headers, type Schemas } from "./client";
import { credentials } from "./embed";
import { reportAnswer, reportFailure } from "./line";
import { session } from "./session";
import { retryAfter } from "./steady";

export type Status = Schemas["StatusData"] & { signing_status: string };

/**
 * After how many milliseconds without a byte a stream counts as broken. The service sends a comment every 25 seconds; a device that slept, or a
 * router that forgot the connection, closes nothing.
 */
const silence = 90_000;

/** Splits a stream of server-sent events into the data of each event. A silent stream is an error. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await within(silence, reader.read());
    if (done) return;
    rest += value;
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop()!;
    for (const block of blocks) {
      const data = block.split(/\r?\n/).filter((l) => l.startsWith("data:")).map((l) => l.slice(5).trimStart());
      if (data.length > 0) yield data.join("\n");
    }
  }
}

/** Rejects if a promise is not settled in time. */
function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the stream is silent")), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export interface Following {
  status: Status | undefined;
  /** Whether the service cannot be reached at present; the connection is retried. */
  lost: boolean;
}

/**
 * Follows a document while it can change, and refetches it after each change. EventSource cannot send a guest's token,
 * so the stream is read with fetch. A broken stream is opened again with growing pauses.
 */
export function useProgress(id: number, live: boolean): Following {
  const queries = useQueryClient();
  const [status, setStatus] = useState<Status>();
  const [lost, setLost] = useState(false);
  useEffect(() => {
    setLost(false);
    setStatus(undefined); // the status is of another document, or older than the data that is being read
    if (!live) return;
    const stop = new AbortController();
    let pause = 1000;
    let timer: number | undefined;
    let known = "";
    const follow = async (): Promise<void> => {
      let asked = 0;
      const connection = new AbortController(), end = () => connection.abort();
      stop.signal.addEventListener("abort", end);
      try {
        const answer = await session.send(() => fetch(`${base}/v1/econtract/web_app/document/events/${id}`, { credentials, headers: { ...headers(), Accept: "text/event-stream" }, signal: connection.signal }));
        if (answer.status === 204 || (answer.status >= 400 && answer.status < 500 && answer.status !== 429)) {
          // No more events: the document is finished, or access was lost. The query of the screen finds out which.
          void queries.invalidateQueries({ queryKey: ["document", id] });
          return;
        }
        setLost(!answer.ok);
        asked = retryAfter(answer) ?? 0;
        if (answer.ok) reportAnswer();
        if (answer.ok && answer.body) {
          for await (const data of eventsOf(answer.body)) {
            pause = 1000;
            setStatus(JSON.parse(data) as Status);
            // After the first event too: the data shown was read before it, and may be older.
            if (known !== data) {
              void queries.invalidateQueries({ queryKey: ["document", id] });
              void queries.invalidateQueries({ queryKey: ["documents"] });
            }
            known = data;
          }
        }
      } catch {
        if (stop.signal.aborted) return;
        setLost(true);
        reportFailure();
      } finally {
        stop.signal.removeEventListener("abort", end);
        end(); // a silent connection would stay open
      }
      timer = window.setTimeout(() => void follow(), Math.max(asked, pause));
      pause = Math.min(pause * 2, 30_000);
    };
    void follow();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id, live, queries]);
  return { status, lost };
}
