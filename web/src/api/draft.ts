import { queryOptions } from "@tanstack/react-query";

import { base } from "../app/base";
import { api, headers, Problem, problemOf, service, take, type Schemas } from "./client";
import { people, placements, type Placement } from "./documents";

export type Warning = Schemas["Warning"];
export type Member = Schemas["DirectoryUser"];

export interface Uploaded {
  document: number;
  warnings: Warning[];
}

export interface UploadOptions {
  title: string;
  /** ISO 8601 with a zone; empty for never. */
  expires: string;
  /** Names this upload: sent again after a broken connection it makes no second draft. */
  key: string;
  /** Part of the file that has been sent, 0 to 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
}

/** Uploads a file as a draft with nobody on it. fetch tells nothing of what was sent, hence the older way. */
export function upload(file: File, o: UploadOptions): Promise<Uploaded> {
  const form = new FormData();
  form.set("document_title", o.title);
  if (o.expires) form.set("expired_at", o.expires);
  form.set("document", file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${base}/v1/econtract/web/sign/upload-docs`);
    request.responseType = "json";
    for (const [name, value] of Object.entries({ ...headers(), "Idempotency-Key": o.key })) request.setRequestHeader(name, value);
    request.upload.onprogress = (e) => e.lengthComputable && o.onProgress(e.loaded / e.total);
    request.onload = () => {
      if (request.status < 200 || request.status > 299) return reject(problemOf(request.status, request.response));
      const { data, warnings } = (request.response as Schemas["DoneUploadData"]).response;
      resolve({ document: data.document_id, warnings: warnings ?? [] });
    };
    request.onerror = () => reject(new Problem(0, "network", "no answer", [], true));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    o.signal.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

/** Changes of one draft go out one after the other, and are read again only when all have arrived. */
const underWay = new Map<number, Promise<unknown>>();

function inTurn<T>(id: number, act: () => Promise<T>): Promise<T> {
  const turn = (underWay.get(id) ?? Promise.resolve()).then(act, act);
  underWay.set(id, turn);
  return turn;
}

const arrived = (id: number) => (underWay.get(id) ?? Promise.resolve()).catch(() => undefined);

/** The people of a draft, as the service knows them once it knows all that was changed here. */
export const draftPeople = (id: number) => queryOptions({ ...people(id), queryFn: async (c) => { await arrived(id); return people(id).queryFn!(c); }, refetchOnMount: "always" });

export const draftPlacements = (id: number) => queryOptions({ ...placements(id), queryFn: async (c) => { await arrived(id); return placements(id).queryFn!(c); }, refetchOnMount: "always" });

export const savePeople = (id: number, signer: Schemas["PersonIn"][], guest: Schemas["GuestIn"][], parallel: boolean) =>
  inTurn(id, () => take(api.POST("/v1/econtract/{service}/sign/participants-docs", { params: service, body: { document_id: id, signer, guest, parallel: parallel ? 1 : 0 } })));

/** Replaces all placements of a draft. The answer warns of what may not be meant. */
export const savePlacements = (id: number, all: Placement[]): Promise<Warning[]> =>
  inTurn(id, async () => {
    const signers = all.map((p) => ({ type: p.type, page: p.page, user: { userid: p.user_id }, ...(p.type === "emet" ? { emet: p.box } : { sign: p.box }) }));
    return (await take(api.POST("/v1/econtract/{service}/sign/placement-docs", { params: service, body: { document_id: id, signers } }))).response.warnings ?? [];
  });

/** Members of the organisation whose name or e-mail holds a text. */
export const directory = (search: string) =>
  queryOptions({
    queryKey: ["directory", search],
    queryFn: async () => (await take(api.GET("/v1/auth/list_user", { params: { query: { page: 1, limit: 20, ...(search ? { search } : {}) } } }))).data.user,
    staleTime: 60_000,
  });

let dropped: File | undefined;

/** Hands a file that was dropped on another screen to the one that uploads it. */
export const hand = {
  over: (file: File) => { dropped = file; },
  take: () => { const file = dropped; dropped = undefined; return file; },
};
