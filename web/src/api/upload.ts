import { base } from "./base";
import { headers, Problem, problemOf, type Schemas } from "./client";
import type { Warning } from "./draft";

export interface Uploaded {
  document: number;
  warnings: Warning[];
}

export interface UploadOptions {
  title: string;
  /** ISO 8601 with a zone; empty for never. */
  expires: string;
  /** Identifies this upload: a repeat after a broken connection creates no second draft. Letters and digits. */
  key: string;
  /** Fraction of the file that was sent, 0 to 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
}

/** A form with one file at its end, with the same bytes each time: a browser's form has another boundary at each try. */
export function form(fields: Record<string, string>, name: string, file: File, boundary: string): Blob {
  const quoted = (s: string) => `"${s.replace(/"/g, "%22").replace(/\r/g, "%0D").replace(/\n/g, "%0A")}"`;
  const parts: BlobPart[] = Object.entries(fields).map(([k, v]) => `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(k)}\r\n\r\n${v}\r\n`);
  parts.push(`--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}; filename=${quoted(file.name)}\r\nContent-Type: ${file.type || "application/octet-stream"}\r\n\r\n`, file, `\r\n--${boundary}--\r\n`);
  return new Blob(parts, { type: `multipart/form-data; boundary=${boundary}` });
}

/** Uploads a file as a draft without participants. It uses XMLHttpRequest, because fetch does not report progress. */
export function upload(file: File, o: UploadOptions): Promise<Uploaded> {
  const body = form({ document_title: o.title, ...(o.expires ? { expired_at: o.expires } : {}) }, "document", file, `segel-${o.key}`);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${base}/v1/econtract/web/sign/upload-docs`);
    request.responseType = "json";
    for (const [name, value] of Object.entries({ ...headers(), "Idempotency-Key": o.key, "Content-Type": body.type })) request.setRequestHeader(name, value);
    request.upload.onprogress = (e) => e.lengthComputable && o.onProgress(e.loaded / e.total);
    request.onload = () => {
      if (request.status < 200 || request.status > 299) return reject(problemOf(request.status, request.response));
      const { data, warnings } = (request.response as Schemas["DoneUploadData"]).response;
      resolve({ document: data.document_id, warnings: warnings ?? [] });
    };
    request.onerror = () => reject(new Problem(0, "network", "no answer", [], true));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    o.signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
