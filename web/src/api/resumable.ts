import { base } from "./base";
import { headers, Problem, problemOf, refusalOf, type Schemas } from "./client";
import { kept } from "./kept";
import { pauseFor, reportAnswer, reportFailure } from "./line";
import { session } from "./session";

/** How far an upload is. */
export interface Progress {
  /** Bytes that are stored or on their way. */
  sent: number;
  total: number;
  /** "waiting": the line was cut, and the upload continues by itself; "checking": all has arrived. */
  phase: "sending" | "waiting" | "checking";
  /** Seconds that the rest will take at the present rate; undefined while that is not known. */
  seconds: number | undefined;
  /** Why it waits, in the words of the service; undefined if the line was cut. */
  why: string | undefined;
  /** Where an earlier upload of the same file was continued; 0: at its beginning. */
  from: number;
}

type Found = Schemas["ResumableData"];

/** Bytes that are sent in one request: proxies may keep what is sent until a request is complete. */
const part = 2 << 20;

/** After how long without a byte a request is given up, in milliseconds. */
const standstill = 20_000;

const uploads = `${base}/v1/uploads`;

/** Uploads that are not finished are kept by what the file looks like: the person may close the page and choose the file again. */
const keyOf = (file: File) => `segel.upload ${file.name} ${file.size} ${file.lastModified}`;

/** SHA-256 of bytes in hexadecimal; undefined if the browser does not offer it, on unencrypted connections. */
async function sha256(bytes: Blob): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const sum = await crypto.subtle.digest("SHA-256", await bytes.arrayBuffer());
  return Array.from(new Uint8Array(sum), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Base64 of a text in UTF-8. */
const encoded = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

interface Answer {
  status: number;
  body: unknown;
  header: (name: string) => string | null;
}

/** Sends one request of tus. Fetch does not report what was sent. A request without an answer rejects with a Problem. */
function ask(method: string, url: string, extra: Record<string, string>, body: Blob | null, signal: AbortSignal, onSent: (bytes: number) => void = () => undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.responseType = "json";
    for (const [name, value] of Object.entries({ ...headers(), "Tus-Resumable": "1.0.0", ...extra })) request.setRequestHeader(name, value);
    const lose = () => { done(); reportFailure(); reject(new Problem(0, "network", "no answer", [], true)); };
    const stop = () => { done(); request.abort(); reject(new DOMException("aborted", "AbortError")); };
    let timer = setTimeout(stall, standstill);
    function stall() { request.onabort = null; request.abort(); lose(); }
    const moved = () => { clearTimeout(timer); timer = setTimeout(stall, standstill); };
    const done = () => { clearTimeout(timer); signal.removeEventListener("abort", stop); window.removeEventListener("offline", stall); };
    request.upload.onprogress = (e) => { moved(); onSent(e.loaded); };
    request.onload = () => {
      done();
      if (request.status < 502 || request.status > 504) reportAnswer();
      resolve({ status: request.status, body: request.response as unknown, header: (name) => request.getResponseHeader(name) });
    };
    request.onerror = lose;
    signal.addEventListener("abort", stop, { once: true });
    window.addEventListener("offline", stall);
    if (signal.aborted) return stop();
    request.send(body);
  });
}

/**
 * Throws if a file cannot be read at a position, as after it was changed or removed on the disk since it was chosen. Browsers report that
 * as a request without an answer.
 */
export async function requireReadable(file: File, at: number): Promise<void> {
  try {
    await file.slice(at, at + 1).arrayBuffer();
  } catch (error) {
    throw new Problem(0, "file.unreadable", String(error));
  }
}

/** Whether a refusal will not go away by itself. */
const isFinal = (p: Problem) => p.code !== 0 && !p.retryable;

/** The upload that was begun for this file and still has its bytes; undefined if there is none. */
async function findBegun(file: File): Promise<Found | undefined> {
  const id = kept.read(keyOf(file));
  if (!id) return undefined;
  const answer = await session.send(() => fetch(`${uploads}/${id}`, { headers: headers() }));
  if (answer.status >= 500) throw await refusalOf(answer);
  const found = answer.ok ? ((await answer.json()) as { data: Found }).data : undefined;
  // Name, size and time do not prove that it is the same file: the bytes do.
  if (found && found.document_id === null && found.size === file.size && (found.offset === 0 || found.sha256 === (await sha256(file.slice(0, found.offset))))) return found;
  kept.remove(keyOf(file));
  return undefined;
}

async function begin(file: File, signal: AbortSignal): Promise<Found> {
  const answer = await session.send(() => ask("POST", uploads, { "Upload-Length": String(file.size), "Upload-Metadata": `filename ${encoded(file.name)}` }, null, signal));
  if (answer.status !== 201) throw problemOf(answer.status, answer.body);
  const found = (answer.body as { data: Found }).data;
  kept.write(keyOf(file), found.upload_id);
  return found;
}

/**
 * Sends a file in parts that the service stores, and resolves to the name of the upload once all has arrived. After a cut line
 * or a restart of the service it continues where the service says that it ended.
 */
export async function sendInParts(file: File, onProgress: (p: Progress) => void, signal: AbortSignal): Promise<string> {
  let upload: Found | undefined, offset = 0, from = 0, known = false, asked = 0;
  const rate = { since: 0, bytes: 0 };
  const refuse = (answer: Answer): never => {
    asked = Number(answer.header("Retry-After") ?? 0) * 1000 || 0;
    throw problemOf(answer.status, answer.body);
  };
  const tell = (phase: Progress["phase"], sent: number, why?: string) => {
    const elapsed = (Date.now() - rate.since) / 1000;
    const seconds = phase === "sending" && elapsed > 2 && sent > rate.bytes ? ((file.size - sent) * elapsed) / (sent - rate.bytes) : undefined;
    onProgress({ phase, sent, total: file.size, seconds, why, from });
  };
  for (let pause = 500; ;) {
    try {
      signal.throwIfAborted();
      if (!upload) {
        upload = (await findBegun(file)) ?? (await begin(file, signal));
        offset = from = upload.offset;
        known = true;
      }
      const url = `${uploads}/${upload.upload_id}`;
      if (!known) {
        const answer = await session.send(() => ask("HEAD", url, {}, null, signal));
        if (answer.status === 404) { // it expired: the file is sent from its beginning
          kept.remove(keyOf(file));
          upload = undefined;
          continue;
        }
        if (answer.status !== 200) refuse(answer);
        offset = Number(answer.header("Upload-Offset"));
        known = true;
      }
      Object.assign(rate, { since: Date.now(), bytes: offset });
      while (offset < file.size) {
        tell("sending", offset);
        const at = offset;
        known = false;
        const answer = await session.send(() => ask("PATCH", url, { "Upload-Offset": String(at), "Content-Type": "application/offset+octet-stream" }, file.slice(at, at + part), signal, (n) => tell("sending", Math.min(at + n, file.size))));
        if (answer.status !== 204) refuse(answer);
        offset = Number(answer.header("Upload-Offset"));
        known = true;
        pause = 500;
      }
      tell("checking", file.size);
      return upload.upload_id;
    } catch (error) {
      if (signal.aborted) throw error;
      const problem = error instanceof Problem ? error : new Problem(0, "network", String(error), [], true);
      const moved = problem.reason === "upload.offset_differs" || problem.reason === "upload.not_found"; // another page continued it, or it expired: ask
      if (isFinal(problem) && !moved) {
        if (upload && problem.code !== 401) endUpload(file, upload.upload_id);
        throw problem;
      }
      if (problem.code === 0) {
        await requireReadable(file, offset).catch((unreadable: unknown) => {
          endUpload(file);
          throw unreadable;
        });
      }
      tell("waiting", offset, problem.code === 0 || moved ? undefined : problem.message);
      await pauseFor(Math.max(pause, asked), signal);
      asked = 0;
      pause = Math.min(pause * 2, 15_000);
    }
  }
}

/** Removes what has arrived of a file that the person does not want to send any more. If it fails, the upload expires. */
export function endUpload(file: File, id: string | null = kept.read(keyOf(file))): void {
  kept.remove(keyOf(file));
  if (id) void fetch(`${uploads}/${id}`, { method: "DELETE", headers: { ...headers(), "Tus-Resumable": "1.0.0" }, keepalive: true }).catch(() => undefined);
}

/** Call once the document is made. */
export const forgetUpload = (file: File) => kept.remove(keyOf(file));
