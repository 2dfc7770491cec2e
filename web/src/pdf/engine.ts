import type { PDFDocumentLoadingTask, PDFDocumentProxy, PDFPageProxy, PageViewport } from "pdfjs-dist";
import workerAddress from "pdfjs-dist/build/pdf.worker.min.mjs?url";

import { base } from "../api/base";
import { headers, Problem, problemOf } from "../api/client";

export type { PDFDocumentProxy, PDFPageProxy, PageViewport };

// The engine is large; it is loaded with the first page that is shown.
const load = () => import("pdfjs-dist");

/** Where a file comes from: an address of ours, or the first bytes of a file on this device. Both are read by ranges. */
export type FileSource = { url: string } | { blob: Blob; length: number; password?: string };

/** Opens a file. Nothing in it runs: no scripts, no eval. Whoever opens destroys the task. */
export async function openFile(source: FileSource): Promise<PDFDocumentLoadingTask> {
  const engine = await load();
  engine.GlobalWorkerOptions.workerSrc = workerAddress;
  return engine.getDocument({
    ...("url" in source
      ? { url: source.url, httpHeaders: headers(), withCredentials: true }
      : { range: ranges(engine, source.blob, source.length), ...(source.password ? { password: source.password } : {}) }),
    disableAutoFetch: true,
    disableStream: true,
    rangeChunkSize: 1 << 16,
    cMapUrl: `${base}/pdf/cmaps/`,
    standardFontDataUrl: `${base}/pdf/standard_fonts/`,
    wasmUrl: `${base}/pdf/wasm/`,
    iccUrl: `${base}/pdf/iccs/`,
    isEvalSupported: false,
    enableXfa: false,
    stopAtErrors: false,
  });
}

/** Reads a file on this device as the engine asks for it, so that none is too large. */
function ranges(engine: Awaited<ReturnType<typeof load>>, blob: Blob, length: number) {
  const transport = new engine.PDFDataRangeTransport(length, null);
  let gone = false;
  transport.requestDataRange = (begin, end) => {
    void blob.slice(begin, end).arrayBuffer().then((bytes) => { if (!gone) transport.onDataRange(begin, new Uint8Array(bytes)); }, () => undefined);
  };
  transport.abort = () => { gone = true; };
  return transport;
}

/** What the engine threw, as a Problem: a refusal of the service keeps its status. */
export function problemOfFile(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const status = (error as { status?: number }).status;
  if (status) return problemOf(status, undefined);
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

/** Reads where the text of a page stands. */
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
