import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { api, service, take, type Schemas } from "./client";
import { proving, type Refused } from "./proof";
import type { Accepted } from "./consent";
import { timeUntil } from "./time-until";

export type ListItem = Schemas["ListItem"];
export type Pagination = Schemas["Pagination"];
export type Detail = Schemas["DetailData"];
export type State = "draft" | "processing" | "completed" | "rejected" | "canceled" | "expired" | "failed";
export type Box = "in" | "out";

export const states: State[] = ["draft", "processing", "completed", "rejected", "canceled", "expired", "failed"];
export const periods = ["all", "today", "7d", "30d", "1y"] as const;

export const orders = ["created", "deadline", "title"] as const;

/** A tab of a list: the documents that wait for me, all, or those in a state. */
export type Tab = "waiting" | "all" | State;

export interface Search {
  page: number;
  /** The tab; undefined for the first one of the list. */
  status?: Tab | undefined;
  periode: (typeof periods)[number];
  search: string;
  /** The e-mail of a person who owns the documents or takes part in them; empty for all. */
  person: string;
  /** A label of my organisation, or one of my folders; missing for all. */
  label?: string | undefined;
  folder?: string | undefined;
  sort: (typeof orders)[number];
  /** A team of the caller, whose documents the list has instead of theirs. */
  team?: string | undefined;
}

/** The default query of a list. */
export const noSearch: Search = { page: 1, status: undefined, periode: "all", search: "", person: "", sort: "created" };

const paths = { in: "/v1/econtract/web_app/document/data", out: "/v1/econtract/web_app/document/out" } as const;

/** What the members of a query that are not empty select. */
const filters = (s: Search) => ({ periode: s.periode, ...(s.search ? { search: s.search } : {}), ...(s.person ? { person: s.person } : {}), ...(s.label ? { label: s.label } : {}), ...(s.folder ? { folder: s.folder } : {}), ...(s.team ? { team: s.team } : {}) });

/** One page of a list. Sent documents do not include drafts, which have a separate list; those of a team do. */
export const list = (box: Box, tab: Tab, s: Search, limit = 20) =>
  queryOptions({
    queryKey: ["documents", box, tab, s, limit],
    queryFn: async () => {
      const chosen = tab === "waiting" ? { waiting: "me" as const } : tab === "all" ? (box === "out" && !s.team ? { without: "draft" as const } : {}) : { status: tab };
      return (await take(api.GET(paths[box], { params: { query: { page: s.page, limit, sort: s.sort, ...chosen, ...filters(s) } } }))).data;
    },
    placeholderData: keepPreviousData,
  });

/** Whether a person can sign a document now. */
export const waitsFor = (d: ListItem, person: string | undefined): boolean => d.data_signer.some((p) => p.user_id === person && p.is_signing);

/** How many documents each tab of a list has with a search, a person and a period. */
export const counts = (box: Box, s: Search = noSearch) =>
  queryOptions({
    queryKey: ["documents", box, "counts", filters(s)],
    queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/counts", { params: { query: { type: box, ...(s.team ? {} : { without: "draft" as const }), ...filters(s) } } }))).data,
    placeholderData: keepPreviousData,
  });

/** What waits for me: counted again when the window is looked at, and each minute while it is. Own actions invalidate it. */
export const waiting = queryOptions({ ...counts("in"), staleTime: 5_000, refetchInterval: 60_000, refetchOnWindowFocus: "always" });

/** The newest document that waits for me, after I acted on another one. */
export const nextWaiting = (after: number) =>
  queryOptions({
    queryKey: ["documents", "in", "next", after],
    queryFn: async () => (await take(api.GET(paths.in, { params: { query: { page: 1, limit: 1, waiting: "me" } } }))).data,
  });

/** People of my documents whose name or e-mail contains a text. */
export const contacts = (search: string) =>
  queryOptions({
    queryKey: ["documents", "contacts", search],
    queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/contacts", { params: { query: search ? { search } : {} } }))).data.people,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
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

/** What a person does on a document. */
export type ActsAs = Person["acts_as"];

/** Whether a signature of the person belongs in the file. */
export const signs = (p: { acts_as: ActsAs }): boolean => p.acts_as === "signer" || p.acts_as === "witness";

/** Of each group, of whom any one acts, the first member; and all who act for themselves. */
export const holders = <P extends { group?: number | undefined }>(people: P[]): P[] => people.filter((p, i) => !p.group || people.findIndex((o) => o.group === p.group) === i);

/** Those who have the part of a person together: their group, or they alone. */
export const groupOf = <P extends { group?: number | undefined; role: string }>(people: P[], p: P): P[] => (p.group && p.role === "signer" ? people.filter((o) => o.group === p.group && o.role === "signer") : [p]);
export type Channel = Person["channel"];
/** One box on a page, as the service stores it: points, origin at the lower left. */
export type Placement = Schemas["PlacementItem"];
export type Step = Schemas["Step"];

const at = (id: number) => ({ params: { path: { document_id: id } } });

/** Everything about the participants of a document. A guest may not read this. */
export const people = (id: number) =>
  queryOptions({ queryKey: ["document", id, "people"], queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/signers/{document_id}", at(id)))).data.signer });

export const trail = (id: number) =>
  queryOptions({ queryKey: ["document", id, "trail"], queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/audit-trail/{document_id}", at(id)))).data });

/** The current revision of a document: its digest, and how many pages it has. */
export const pages = (id: number) =>
  queryOptions({ queryKey: ["document", id, "pages"], queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/pages/{document_id}", at(id)))).data });

/** What became of one of several documents. */
export type SignedResult = Schemas["SignedData"];

/** What one of the documents was refused for, if that asks for a second factor: the same then holds for all. */
const refusedOf = (results: SignedResult[]): Refused | undefined => {
  const refused = results.find((r) => r.error?.code === "sign.factor_required" || r.error?.code.startsWith("auth."));
  return refused?.error && { code: refused.error.code, msg: refused.msg };
};

/** What the signer was shown: which revision of the document, and which of its pages. */
export interface Shown {
  digest: string;
  pages: number[];
  /** Those of which only a picture was shown, and not the file itself. */
  pictures: number[];
}

const named = (id: number) => ({ document_id: id });

/** What a person with an account gives in a frame, for which they did not log in. */
export interface Given {
  password?: string;
  otp?: string;
}

/** The operations on a document. Each resolves when the change is durable. */
export const verbs = {
  /** Accepts the findings with these codes, which are refused otherwise. */
  finalize: (id: number, accept: string[] = []) =>
    take(api.POST("/v1/econtract/{service}/sign/finalize-docs", { params: service, body: { ...named(id), ...(accept.length > 0 ? { accept_findings: accept } : {}) } })),
  /** Specimen and initials are pictures in base64. */
  sign: (id: number, shown: Shown, consent: Accepted | undefined, specimen?: string, initials?: string, given: Given = {}) =>
    proving.send([{ document_id: id, digest: shown.digest }], (proof) =>
      take(api.POST("/v1/econtract/{service}/sign/sign-docs", { params: service, body: { ...named(id), digest: shown.digest, pages_shown: shown.pages, pictures_shown: shown.pictures, ...(consent ? { consent } : {}), ...(specimen ? { specimen } : {}), ...(initials ? { initials } : {}), ...proof, ...given } }))),
  /** Approves the shown revision, as an approver. */
  approve: (id: number, shown: Shown, consent: Accepted | undefined, given: Given = {}) =>
    proving.send([{ document_id: id, digest: shown.digest }], (proof) =>
      take(api.POST("/v1/econtract/{service}/sign/approve-docs", { params: service, body: { ...named(id), digest: shown.digest, pages_shown: shown.pages, pictures_shown: shown.pictures, ...(consent ? { consent } : {}), ...proof, ...given } }))),
  /** Signs some documents of a list that one consent covers. A repeat reports what is signed as signed. */
  signMany: (documents: Schemas["DocumentToSignIn"][], consent: Schemas["ConsentItemIn"][], text: Accepted | undefined, specimen?: string, initials?: string) =>
    proving.send(consent, async (proof) =>
      (await take(api.POST("/v1/econtract/{service}/sign/sign-many-docs", { params: service, body: { documents, consent, ...(text ? { consent_texts: [text] } : {}), ...(specimen ? { specimen } : {}), ...(initials ? { initials } : {}), ...proof } }))).response.data.results,
    refusedOf),
  /** What the service makes of a picture, in base64: a PNG of dark strokes on a transparent background. */
  previewSpecimen: async (id: number, specimen: string) =>
    (await take(api.POST("/v1/econtract/{service}/sign/specimen-preview-docs", { params: service, body: { ...named(id), specimen } }))).response.data.picture,
  reject: (id: number, reason: string, given: Given = {}) => take(api.POST("/v1/econtract/{service}/sign/reject-docs", { params: service, body: { ...named(id), reason, ...given } })),
  /** Passes the caller's part to another person. */
  delegate: (id: number, to: { name: string; email: string; phone: string; reason: string }) =>
    take(api.POST("/v1/econtract/{service}/sign/delegate-docs", { params: service, body: { ...named(id), ...to } })),
  cancel: (id: number, reason: string) => take(api.POST("/v1/econtract/{service}/sign/cancel-docs", { params: service, body: { ...named(id), reason } })),
  remind: (id: number) => take(api.POST("/v1/econtract/{service}/sign/remind-docs", { params: service, body: named(id) })),
  /** With a new serial: releases the refused one, if the e-meterai issuer reports it as unused. */
  restamp: (id: number, newSerial = false) => take(api.POST("/v1/econtract/{service}/sign/restamp-docs", { params: service, body: { ...named(id), new_serial: newSerial ? 1 : 0 } })),
  /** Ends the pause before the service retries the step that a document waits for. */
  retry: (id: number) => take(api.POST("/v1/econtract/{service}/sign/retry-docs", { params: service, body: named(id) })),
  /** Makes a draft of a document that ended: its number, and the people who take part in it. */
  copy: async (id: number) => (await take(api.POST("/v1/econtract/{service}/sign/copy-docs", { params: service, body: named(id) }))).response.data,
  /** Shares a document with a team of its owner; an empty one: no longer. */
  share: (id: number, team: string) => take(api.POST("/v1/econtract/{service}/sign/team-docs", { params: service, body: { ...named(id), team } })),
  guestLink: async (id: number, person: string) =>
    (await take(api.POST("/v1/econtract/{service}/sign/guest-link-docs", { params: service, body: { ...named(id), user_id: person } }))).response.data.url,
  /** Revokes a guest's link and every token that was opened with it. */
  revokeGuestLink: (id: number, person: string) => take(api.POST("/v1/econtract/{service}/sign/guest-revoke-docs", { params: service, body: { ...named(id), user_id: person } })),
  /** Corrects a guest who has not acted yet. */
  correctGuest: (id: number, person: string, to: { name: string; email: string; phone: string; channel?: Person["channel"] }) =>
    take(api.POST("/v1/econtract/{service}/sign/correct-guest-docs", { params: service, body: { ...named(id), user_id: person, ...to } })),
  /** Sends a code to the mailbox of the caller, a guest. */
  /** Wait: milliseconds until another code can be asked for. */
  orderCode: async (id: number) => {
    const asked = api.POST("/v1/econtract/{service}/sign/guest-code-docs", { params: service, body: named(id) });
    const { data } = (await take(asked)).response;
    return { ...data, wait: timeUntil(data.next_at, (await asked).response) };
  },
  proveMailbox: (id: number, code: string) => take(api.POST("/v1/econtract/{service}/sign/guest-verify-docs", { params: service, body: { ...named(id), code } })),
  /** Changes how the people of a draft are reached, if it still has the version. */
  deliver: (id: number, d: NonNullable<Detail["delivery"]>, version: number) =>
    take(api.POST("/v1/econtract/{service}/sign/describe-docs", { params: service, body: { ...named(id), message: d.message, guest_code: d.guest_code as "sign" | "read", messages: d.messages ? 1 : 0, attach: d.attach ? 1 : 0, hide_addresses: d.hide_addresses ? 1 : 0, delegation: d.delegation ? 1 : 0, remind: d.remind, version } })),
  remove: (id: number) => take(api.DELETE("/v1/econtract/web_app/document/{document_id}", at(id))),
};
