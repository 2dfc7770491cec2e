import type { PDFDocumentProxy, PDFPageProxy, PageViewport } from "pdfjs-dist";
import workerAddress from "pdfjs-dist/build/pdf.worker.min.mjs?url";

import { base } from "../api/base";
import { headers, Problem, problemOf, refusalOf } from "../api/client";
import { session } from "../api/session";
import { asked, part } from "./part";
import { Ahead, chunk } from "./ranges";

export type { PDFDocumentProxy, PDFPageProxy, PageViewport };

// The engine is large; it is loaded with the first page.
const load = () => import("pdfjs-dist");

/** Where a file comes from: an address of ours, or the first bytes of a local file. Both are read by ranges. */
export type FileSource = { url: string } | { blob: Blob; length: number; password?: string };

/** A file that is being opened. The caller must destroy it. */
export interface Opening {
  promise: Promise<PDFDocumentProxy>;
  /** SHA-256 of the file in hexadecimal, as the service states it; empty for a local file. */
  digest: string;
  destroy: () => Promise<void>;
}

/** Opens a file. Nothing in it is executed: no scripts, no eval. */
export async function openFile(source: FileSource): Promise<Opening> {
  const engine = await load();
  engine.GlobalWorkerOptions.workerSrc = workerAddress;
  const { length, digest } = "url" in source ? await headOf(source.url) : { length: source.length, digest: "" };
  const transport = new engine.PDFDataRangeTransport(length, null);
  const ended = new AbortController();
  let open = false;
  const refused = new Promise<never>((_, reject) => {
    const ahead = new Ahead(length);
    transport.requestDataRange = (begin, end) => {
      const bytes = "url" in source ? part(source.url, begin, ahead.from(begin, end), ended.signal, () => open) : source.blob.slice(begin, end).arrayBuffer();
      bytes.then((b) => { if (!ended.signal.aborted) transport.onDataRange(begin, new Uint8Array(b)); }).catch(reject);
    };
  });
  refused.catch(() => undefined); // of a file that is already open: the page stays white
  transport.abort = () => ended.abort();
  const task = engine.getDocument({
    range: transport,
    ...("password" in source && source.password ? { password: source.password } : {}),
    disableAutoFetch: true,
    disableStream: true,
    rangeChunkSize: chunk,
    cMapUrl: `${base}/pdf/cmaps/`,
    standardFontDataUrl: `${base}/pdf/standard_fonts/`,
    wasmUrl: `${base}/pdf/wasm/`,
    iccUrl: `${base}/pdf/iccs/`,
    isEvalSupported: false,
    enableXfa: false,
    stopAtErrors: false,
  });
  task.promise.then(() => { open = true; }, () => undefined);
  return { promise: Promise.race([task.promise, refused]), digest, destroy: () => { ended.abort(); return task.destroy(); } };
}

/**
 * The length and digest of a file of ours. A later revision only appends to it, so the bytes up to that length match
 * the digest whatever happens meanwhile.
 */
async function headOf(url: string): Promise<{ length: number; digest: string }> {
  const ask = (init: RequestInit) => session.send(() => fetch(url, { ...asked, ...init })).catch(() => { throw new Problem(0, "network", "no answer", [], true); });
  const answer = await ask({ method: "HEAD", headers: headers() });
  if (!answer.ok) {
    const said = await ask({ headers: { ...headers(), Range: "bytes=0-0" } }); // an answer to HEAD has no words
    throw said.ok ? problemOf(answer.status, undefined) : await refusalOf(said);
  }
  return { length: Number(answer.headers.get("Content-Length")), digest: (answer.headers.get("ETag") ?? "").replace(/^W\/|"/g, "") };
}

/** Converts an error of the engine to a Problem: a refusal of the service keeps its status. */
export function problemOfFile(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { status, name } = error as { status?: number; name?: string };
  if (status) return problemOf(status, undefined);
  if (status === 0 || name === "TypeError" || name === "AbortException") return new Problem(0, "network", "no answer", [], true);
  return new Problem(0, "file", error instanceof Error ? error.message : String(error));
}

/** A line of text on a page: points, origin at the upper left of the page as displayed. */
export interface Line {
  x: number;
  y: number;
  w: number;
  h: number;
  text: string;
}

/** Reads the positions of a page's text. */
export async function linesOf(page: PDFPageProxy): Promise<Line[]> {
  const view = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent();
  return items.flatMap((item) => {
    if (!("str" in item) || item.str.trim() === "") return [];
    const [a = 0, b = 0, , , e = 0, f = 0] = item.transform as number[];
    const along = Math.hypot(a, b) || 1;
    const from = view.convertToViewportPoint(e, f);
    const to = view.convertToViewportPoint(e + (a / along) * item.width - (b / along) * item.height, f + (b / along) * item.width + (a / along) * item.height);
    const x = Math.min(from[0]!, to[0]!), y = Math.min(from[1]!, to[1]!);
    return [{ x, y, w: Math.abs(to[0]! - from[0]!), h: Math.abs(to[1]! - from[1]!), text: item.str }];
  });
}
