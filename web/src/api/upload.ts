import { base } from "./base";
import { api, headers, Problem, problemOf, service, take, type Schemas } from "./client";
import type { Warning } from "./draft";
import { browserOffline, reportFailure } from "./line";
import { endUpload, forgetUpload, requireReadable, sendInParts, type Progress } from "./resumable";
import { session } from "./session";

export interface Uploaded {
  document: number;
  warnings: Warning[];
}

export interface UploadOptions {
  title: string;
  /** ISO 8601 with a zone; empty for never. */
  expires: string;
  /** The team that the draft is shared with; empty for none. */
  team: string;
  /** Identifies this upload: a repeat after a broken connection creates no second draft. Letters and digits. */
  key: string;
  onProgress: (p: Progress) => void;
  signal: AbortSignal;
}

/** A form with one file at its end, with the same bytes each time: a browser's form has another boundary at each try. */
export function form(fields: Record<string, string>, name: string, file: File, boundary: string): Blob {
  const quoted = (s: string) => `"${s.replace(/"/g, "%22").replace(/\r/g, "%0D").replace(/\n/g, "%0A")}"`;
  const parts: BlobPart[] = Object.entries(fields).map(([k, v]) => `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(k)}\r\n\r\n${v}\r\n`);
  parts.push(`--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}; filename=${quoted(file.name)}\r\nContent-Type: ${file.type || "application/octet-stream"}\r\n\r\n`, file, `\r\n--${boundary}--\r\n`);
  return new Blob(parts, { type: `multipart/form-data; boundary=${boundary}` });
}

/** Files above this many bytes are sent in parts, which can be continued; smaller ones are sent again. */
const small = 1e6;

/** Uploads a file as a draft without participants. */
export async function upload(file: File, o: UploadOptions): Promise<Uploaded> {
  if (browserOffline()) {
    reportFailure();
    throw new Problem(0, "offline", "offline", [], true);
  }
  return file.size > small ? uploadInParts(file, o) : uploadWhole(file, o);
}

/** Sends the file in parts, and then makes one document of it, however often that is asked. */
async function uploadInParts(file: File, o: UploadOptions): Promise<Uploaded> {
  const id = await sendInParts(file, o.onProgress, o.signal);
  const body = { document_title: o.title, filename: file.name, upload_id: id, ...(o.expires ? { expired_at: o.expires } : {}), ...(o.team ? { team: o.team } : {}) };
  try {
    const { data, warnings } = (await take(api.POST("/v1/econtract/{service}/sign/upload-docs-base64", { params: service, body, signal: o.signal }))).response;
    forgetUpload(file);
    return { document: data.document_id, warnings: warnings ?? [] };
  } catch (error) {
    // A refusal of the file is final; one of the title, the deadline or the team is not, and the file need not be sent again.
    if (error instanceof Problem && !error.retryable && error.code !== 401 && !error.of("document_title") && !error.of("expired_at") && !error.reason.startsWith("team.")) endUpload(file, id);
    throw error;
  }
}

/** Sends a file in one request; again, if the login ended meanwhile and was renewed. */
async function uploadWhole(file: File, o: UploadOptions): Promise<Uploaded> {
  let uploaded: Uploaded | undefined, problem: unknown;
  await session.send(async () => {
    problem = undefined;
    uploaded = await uploadOnce(file, o).catch((error: unknown) => { problem = error; return undefined; });
    return { status: problem instanceof Problem ? problem.code : 200 };
  });
  if (!uploaded) throw problem;
  return uploaded;
}

/** It uses XMLHttpRequest, because fetch does not report progress. */
function uploadOnce(file: File, o: UploadOptions): Promise<Uploaded> {
  const body = form({ document_title: o.title, ...(o.expires ? { expired_at: o.expires } : {}), ...(o.team ? { team: o.team } : {}) }, "document", file, `segel-${o.key}`);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${base}/v1/econtract/web/sign/upload-docs`);
    request.responseType = "json";
    for (const [name, value] of Object.entries({ ...headers(), "Idempotency-Key": o.key, "Content-Type": body.type })) request.setRequestHeader(name, value);
    request.upload.onprogress = (e) => e.lengthComputable && o.onProgress({ phase: e.loaded < e.total ? "sending" : "checking", sent: Math.min(e.loaded, file.size), total: file.size, seconds: undefined, why: undefined, from: 0 });
    request.onload = () => {
      if (request.status < 200 || request.status > 299) return reject(problemOf(request.status, request.response));
      const { data, warnings } = (request.response as Schemas["DoneUploadData"]).response;
      resolve({ document: data.document_id, warnings: warnings ?? [] });
    };
    request.onerror = () => {
      reportFailure();
      requireReadable(file, 0).then(() => reject(new Problem(0, "unanswered", "no answer", [], true)), reject);
    };
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    o.signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
