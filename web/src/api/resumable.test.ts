import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { reportAnswer } from "./line";
import { sendInParts } from "./resumable";
import { upload } from "./upload";

/** A service that has begun an upload, and gets no byte of it. */
class Request {
  upload = {};
  status = 0;
  response: unknown = undefined;
  onload: () => void = () => undefined;
  onerror: () => void = () => undefined;
  private method = "";
  open(method: string, url: string) { this.method = url.endsWith("/upload-docs") ? "PATCH" : method; }
  setRequestHeader() { /* none is needed */ }
  getResponseHeader() { return "0"; }
  abort() { /* nothing is sent */ }
  send() {
    if (this.method === "PATCH") return queueMicrotask(() => this.onerror());
    this.status = this.method === "POST" ? 201 : 200;
    this.response = { data: { upload_id: "u1", offset: 0 } };
    queueMicrotask(() => this.onload());
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("XMLHttpRequest", Request);
  vi.stubGlobal("window", { addEventListener: () => undefined, removeEventListener: () => undefined });
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no answer")));
});
afterEach(() => {
  reportAnswer();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A file that was changed on the disk after it was chosen. */
function changedFile(): File {
  const file = new File(["%PDF-1.7"], "kontrak.pdf");
  file.slice = () => Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new DOMException("changed", "NotReadableError")) });
  return file;
}

test("an upload ends when its file cannot be read, and waits for the line when it can", async () => {
  const phases: string[] = [], stop = new AbortController();
  const send = (file: File) => sendInParts(file, (p) => phases.push(p.phase), stop.signal).catch((e: unknown) => e);
  const ended = send(changedFile());
  await vi.advanceTimersByTimeAsync(5000);
  expect(phases).toEqual(["sending"]);
  expect(await ended).toMatchObject({ reason: "file.unreadable", retryable: false });
  const waiting = send(new File(["%PDF-1.7"], "sewa.pdf"));
  await vi.advanceTimersByTimeAsync(5000);
  expect(phases).toContain("waiting");
  stop.abort();
  expect(await waiting).toMatchObject({ name: "AbortError" });
});

test("a small file that cannot be read is told from a service that does not answer", async () => {
  const send = (file: File) => upload(file, { title: "", expires: "", team: "", key: "k", onProgress: () => undefined, signal: new AbortController().signal }).catch((e: unknown) => e);
  expect(await send(changedFile())).toMatchObject({ reason: "file.unreadable" });
  expect(await send(new File(["%PDF-1.7"], "sewa.pdf"))).toMatchObject({ reason: "unanswered", retryable: true });
});
