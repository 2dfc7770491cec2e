import { headers, Problem, refusalOf } from "../api/client";
import { credentials } from "../api/embed";
import { pauseFor, reportAnswer, reportFailure } from "../api/line";
import { session } from "../api/session";

/** How a file of ours is requested. */
export const asked = { credentials };

/**
 * Fetches a part of a file of ours: its bytes from begin up to end. After a lost or partial answer it retries, with
 * growing pauses, until the part has arrived: the engine asks once, and a page without its part stays white. While a file is still being
 * opened it does not retry, because the user waits for the result.
 */
export async function part(url: string, begin: number, end: number, signal: AbortSignal, patient: () => boolean): Promise<ArrayBuffer> {
  for (let pause = 500; ; pause = Math.min(pause * 2, 32_000)) {
    let answered = false;
    try {
      const answer = await session.send(() => fetch(url, { ...asked, headers: { ...headers(), Range: `bytes=${begin}-${end - 1}` }, signal }));
      answered = true;
      if (answer.status === 206) {
        const bytes = await answer.arrayBuffer();
        // The engine assumes that it gets what it requested: other bytes would be drawn as another page.
        if (bytes.byteLength === end - begin && (answer.headers.get("Content-Range") ?? "").startsWith(`bytes ${begin}-`)) {
          reportAnswer();
          return bytes;
        }
      } else if (answer.status < 500 && answer.status !== 429) throw await refusalOf(answer);
    } catch (error) {
      if (error instanceof Problem || signal.aborted) throw error;
      // If the service cuts the body, as when it cannot read the file, the probe of the line succeeds and would end each pause.
      if (!answered) reportFailure();
    }
    if (!patient()) throw new Problem(0, "network", "no answer", [], true);
    await pauseFor(pause, signal);
  }
}
