import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { api, service, take, type Schemas } from "./client";

export type ListItem = Schemas["ListItem"];
export type Pagination = Schemas["Pagination"];
export type Detail = Schemas["DetailData"];
export type State = "draft" | "processing" | "completed" | "rejected" | "canceled" | "expired" | "failed";
export type Box = "in" | "out";

export const states: State[] = ["draft", "processing", "completed", "rejected", "canceled", "expired", "failed"];
export const periods = ["all", "today", "7d", "30d", "1y"] as const;

export interface Search {
  page: number;
  status?: State | undefined;
  periode: (typeof periods)[number];
  search: string;
}

/** The default query of a list. */
export const noSearch: Search = { page: 1, status: undefined, periode: "all", search: "" };

const paths = { in: "/v1/econtract/web_app/document/data", out: "/v1/econtract/web_app/document/out" } as const;

/** One page of a list, newest first. */
export const list = (box: Box, s: Search, limit = 20) =>
  queryOptions({
    queryKey: ["documents", box, s, limit],
    queryFn: async () => {
      const query = { page: s.page, limit, periode: s.periode, ...(s.status ? { status: s.status } : {}), ...(s.search ? { search: s.search } : {}) };
      return (await take(api.GET(paths[box], { params: { query } }))).data;
    },
    placeholderData: keepPreviousData,
  });

/** How many documents a list has in a state. The service maintains these counters, so the query is cheap. */
export const count = (box: Box, status?: State) =>
  queryOptions({
    queryKey: ["documents", box, "count", status ?? "all"],
    queryFn: async () => {
      const query = { page: 1, limit: 1, ...(status ? { status } : {}) };
      return (await take(api.GET(paths[box], { params: { query } }))).data.pagination.total_data;
    },
  });

export const detail = (id: number) =>
  queryOptions({
    queryKey: ["document", id],
    queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/detail/{document_id}", { params: { path: { document_id: id } } }))).data,
  });

/** The remaining quota of duty stamps and signatures. */
export const balance = queryOptions({
  queryKey: ["balance"],
  queryFn: async () => (await take(api.GET("/v1/econtract/web_app/client_balance"))).data,
});

export type Person = Schemas["SignersItem"];
/** One box on a page, as the service stores it: points, origin at the lower left. */
export type Placement = Schemas["PlacementItem"];
export type Step = Schemas["Step"];

const at = (id: number) => ({ params: { path: { document_id: id } } });

/** Everything about the participants of a document. A guest may not read this. */
export const people = (id: number) =>
  queryOptions({ queryKey: ["document", id, "people"], queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/signers/{document_id}", at(id)))).data.signer });

export const trail = (id: number) =>
  queryOptions({ queryKey: ["document", id, "trail"], queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/audit-trail/{document_id}", at(id)))).data });

/** What the signer was shown: which revision of the document, and which of its pages. */
export interface Shown {
  digest: string;
  pages: number[];
}

const named = (id: number) => ({ document_id: id });

/** The operations on a document. Each resolves when the change is durable. */
export const verbs = {
  /** Accepts the findings with these codes, which are refused otherwise. */
  finalize: (id: number, accept: string[] = []) =>
    take(api.POST("/v1/econtract/{service}/sign/finalize-docs", { params: service, body: { ...named(id), ...(accept.length > 0 ? { accept_findings: accept } : {}) } })),
  sign: (id: number, shown: Shown, specimen?: string) =>
    take(api.POST("/v1/econtract/{service}/sign/sign-docs", { params: service, body: { ...named(id), digest: shown.digest, pages_shown: shown.pages, ...(specimen ? { specimen } : {}) } })),
  /** What the service makes of a picture, in base64: a PNG of dark strokes on a transparent background. */
  previewSpecimen: async (id: number, specimen: string) =>
    (await take(api.POST("/v1/econtract/{service}/sign/specimen-preview-docs", { params: service, body: { ...named(id), specimen } }))).response.data.picture,
  reject: (id: number, reason: string) => take(api.POST("/v1/econtract/{service}/sign/reject-docs", { params: service, body: { ...named(id), reason } })),
  cancel: (id: number, reason: string) => take(api.POST("/v1/econtract/{service}/sign/cancel-docs", { params: service, body: { ...named(id), reason } })),
  remind: (id: number) => take(api.POST("/v1/econtract/{service}/sign/remind-docs", { params: service, body: named(id) })),
  /** With a new serial: releases the refused one, if the e-meterai issuer reports it as unused. */
  restamp: (id: number, newSerial = false) => take(api.POST("/v1/econtract/{service}/sign/restamp-docs", { params: service, body: { ...named(id), new_serial: newSerial ? 1 : 0 } })),
  /** Ends the pause before the service retries the step that a document waits for. */
  retry: (id: number) => take(api.POST("/v1/econtract/{service}/sign/retry-docs", { params: service, body: named(id) })),
  /** Makes a draft of a document that ended. */
  copy: async (id: number) => (await take(api.POST("/v1/econtract/{service}/sign/copy-docs", { params: service, body: named(id) }))).response.data.document_id,
  guestLink: async (id: number, person: string) =>
    (await take(api.POST("/v1/econtract/{service}/sign/guest-link-docs", { params: service, body: { ...named(id), user_id: person } }))).response.data.url,
  /** Revokes a guest's link and every token that was opened with it. */
  revokeGuestLink: (id: number, person: string) => take(api.POST("/v1/econtract/{service}/sign/guest-revoke-docs", { params: service, body: { ...named(id), user_id: person } })),
  remove: (id: number) => take(api.DELETE("/v1/econtract/web_app/document/{document_id}", at(id))),
};
