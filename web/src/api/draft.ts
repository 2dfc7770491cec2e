import { queryOptions } from "@tanstack/react-query";

import { api, service, take, type Schemas } from "./client";
import { verbs, type Detail, type Placement } from "./documents";

export type Warning = Schemas["Warning"];

/** Changes of one draft are sent one after the other, and the draft is refetched only when all have been stored. */
const underWay = new Map<number, Promise<unknown>>();

function inTurn<T>(id: number, act: () => Promise<T>): Promise<T> {
  const turn = (underWay.get(id) ?? Promise.resolve()).then(act, act);
  underWay.set(id, turn);
  return turn;
}

const arrived = (id: number) => (underWay.get(id) ?? Promise.resolve()).catch(() => undefined);

/** The participants of a draft, as stored once all local changes are, with the version of the draft. */
export const draftPeople = (id: number) =>
  queryOptions({
    queryKey: ["document", id, "draft people"],
    queryFn: async () => {
      await arrived(id);
      return (await take(api.GET("/v1/econtract/web_app/document/signers/{document_id}", { params: { path: { document_id: id } } }))).data;
    },
    refetchOnMount: "always",
  });

/** The placements of a draft, their warnings, and the version of the draft; the field of a warning is "placements[0]". */
export const draftPlacements = (id: number) =>
  queryOptions({
    queryKey: ["document", id, "draft placements"],
    queryFn: async () => {
      await arrived(id);
      return (await take(api.GET("/v1/econtract/web_app/document/placements/{document_id}", { params: { path: { document_id: id } } }))).data;
    },
    refetchOnMount: "always",
  });

/** A draft, as stored once all local changes are. */
export const draftDetail = (id: number) =>
  queryOptions({
    queryKey: ["document", id, "draft detail"],
    queryFn: async () => {
      await arrived(id);
      return (await take(api.GET("/v1/econtract/web_app/document/detail/{document_id}", { params: { path: { document_id: id } } }))).data;
    },
    refetchOnMount: "always",
  });

/**
 * Replaces the participants of a draft, if it still has the version, and resolves to its new version. Refused with
 * document.version_changed otherwise.
 */
export const savePeople = (id: number, signer: Schemas["PersonIn"][], guest: Schemas["GuestIn"][], parallel: boolean, version?: number) =>
  inTurn(id, async () =>
    (await take(api.POST("/v1/econtract/{service}/sign/participants-docs", { params: service, body: { document_id: id, signer, guest, parallel: parallel ? 1 : 0, ...(version === undefined ? {} : { version }) } }))).response.data.version);

/** Changes the title of a draft and, if given, the deadline: ISO 8601 with a zone, or empty for none. Versions as in savePeople. */
export const saveDescription = (id: number, title: string, expires: string | undefined, version: number) =>
  inTurn(id, async () => (await take(api.POST("/v1/econtract/{service}/sign/describe-docs", { params: service, body: { document_id: id, document_title: title, expired_at: expires, version } }))).response.data.version);

/** Changes how the people of a draft are reached. Versions as in savePeople. */
export const saveDelivery = (id: number, delivery: NonNullable<Detail["delivery"]>, version: number) =>
  inTurn(id, async () => (await verbs.deliver(id, delivery, version)).response.data.version);

/** Replaces all placements of a draft. Versions as in savePeople. */
export const savePlacements = (id: number, all: Pick<Placement, "page" | "type" | "user_id" | "box">[], version: number): Promise<{ version: number; warnings: Warning[] }> =>
  inTurn(id, async () => {
    const signers = all.map((p) => ({ type: p.type, page: p.page, user: { userid: p.user_id }, ...(p.type === "emet" ? { emet: p.box } : { sign: p.box }) }));
    const { data, warnings } = (await take(api.POST("/v1/econtract/{service}/sign/placement-docs", { params: service, body: { document_id: id, signers, version } }))).response;
    return { version: data.version, warnings: warnings ?? [] };
  });

export type GuestContact = Schemas["GuestContact"];

/** Guests whom the caller entered before, whose name or e-mail contains a text. */
export const formerGuests = (search: string) =>
  queryOptions({
    queryKey: ["guests", search],
    queryFn: async () => (await take(api.GET("/v1/econtract/web_app/guests", { params: { query: search ? { search } : {} } }))).data.guest,
    staleTime: 60_000,
  });

/** Members of the organisation whose name or e-mail contains a text. */
export const directory = (search: string) =>
  queryOptions({
    queryKey: ["directory", search],
    queryFn: async () => (await take(api.GET("/v1/auth/list_user", { params: { query: { page: 1, limit: 20, ...(search ? { search } : {}) } } }))).data.user,
    staleTime: 60_000,
  });

let dropped: File | undefined;

/** Passes a file that was dropped on another screen to the one that uploads it. */
export const hand = {
  over: (file: File) => { dropped = file; },
  take: () => { const file = dropped; dropped = undefined; return file; },
};
