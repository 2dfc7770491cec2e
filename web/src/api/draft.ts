import { queryOptions } from "@tanstack/react-query";

import { api, service, take, type Schemas } from "./client";
import { people, type Placement } from "./documents";

export type Warning = Schemas["Warning"];
export type Member = Schemas["DirectoryUser"];

/** Changes of one draft are sent one after the other, and the draft is refetched only when all have been stored. */
const underWay = new Map<number, Promise<unknown>>();

function inTurn<T>(id: number, act: () => Promise<T>): Promise<T> {
  const turn = (underWay.get(id) ?? Promise.resolve()).then(act, act);
  underWay.set(id, turn);
  return turn;
}

const arrived = (id: number) => (underWay.get(id) ?? Promise.resolve()).catch(() => undefined);

/** The participants of a draft, as stored once all local changes are. */
export const draftPeople = (id: number) => queryOptions({ ...people(id), queryFn: async (c) => { await arrived(id); return people(id).queryFn!(c); }, refetchOnMount: "always" });

/** The placements of a draft, and their warnings; the field of a warning is "placements[0]". */
export const draftPlacements = (id: number) =>
  queryOptions({
    queryKey: ["document", id, "draft placements"],
    queryFn: async () => {
      await arrived(id);
      return (await take(api.GET("/v1/econtract/web_app/document/placements/{document_id}", { params: { path: { document_id: id } } }))).data;
    },
    refetchOnMount: "always",
  });

export const savePeople = (id: number, signer: Schemas["PersonIn"][], guest: Schemas["GuestIn"][], parallel: boolean) =>
  inTurn(id, () => take(api.POST("/v1/econtract/{service}/sign/participants-docs", { params: service, body: { document_id: id, signer, guest, parallel: parallel ? 1 : 0 } })));

/** Changes the title of a draft and, if given, the deadline: ISO 8601 with a zone, or empty for none. */
export const saveDescription = (id: number, title: string, expires: string | undefined) =>
  inTurn(id, () => take(api.POST("/v1/econtract/{service}/sign/describe-docs", { params: service, body: { document_id: id, document_title: title, expired_at: expires } })));

/** Replaces all placements of a draft. The answer contains warnings. */
export const savePlacements = (id: number, all: Pick<Placement, "page" | "type" | "user_id" | "box">[]): Promise<Warning[]> =>
  inTurn(id, async () => {
    const signers = all.map((p) => ({ type: p.type, page: p.page, user: { userid: p.user_id }, ...(p.type === "emet" ? { emet: p.box } : { sign: p.box }) }));
    return (await take(api.POST("/v1/econtract/{service}/sign/placement-docs", { params: service, body: { document_id: id, signers } }))).response.warnings ?? [];
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
