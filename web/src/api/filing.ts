import { queryOptions } from "@tanstack/react-query";

import { api, take, type Schemas } from "./client";

export type Label = Schemas["LabelOut"];
export type LabelColour = Label["colour"];
export type Folder = Schemas["FolderOut"];

/** What is filed: a document with where it is now. */
export interface Filed {
  id: number;
  document_title: string;
  labels?: readonly Label[] | undefined;
  folder?: Folder | undefined;
}

/** What became of one of several documents. */
export type FiledResult = Schemas["FiledResult"];

const staleTime = 60_000;

/** The labels of my organisation, by name. */
export const labels = queryOptions({ queryKey: ["filing", "labels"], staleTime, queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/labels"))).data.labels });

/** The folders of a team of mine, or my own, by name. */
export const folders = (team?: string) =>
  queryOptions({ queryKey: ["filing", "folders", team], staleTime, queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/folders", { params: { query: { ...(team ? { team } : {}) } } }))).data.folders });

/** The most documents of one request. */
const most = 100;

async function each(ids: number[], send: (documents: { document_id: number }[]) => Promise<readonly FiledResult[]>): Promise<FiledResult[]> {
  const all: FiledResult[] = [];
  for (let i = 0; i < ids.length; i += most) all.push(...(await send(ids.slice(i, i + most).map((id) => ({ document_id: id })))));
  return all;
}

/** Adds labels to documents and removes others. */
export const labelDocuments = (ids: number[], add: string[], remove: string[]) =>
  each(ids, async (documents) => (await take(api.PUT("/v1/econtract/web_app/document/labelled", { body: { documents, add, remove } }))).response.data.results);

/** Puts documents into a folder of a team of mine, or of my own; empty: into none. */
export const fileDocuments = (ids: number[], folder: string, team = "") =>
  each(ids, async (documents) => (await take(api.PUT("/v1/econtract/web_app/document/filed", { body: { documents, folder, team } }))).response.data.results);

/** Creates a folder, or finds that which has the name. */
export const addFolder = async (name: string, team = "") => (await take(api.PUT("/v1/econtract/web_app/document/folders", { body: { name, team } }))).response.data.folder;

const at = (id: string) => ({ params: { path: { folder_id: id } } });

export const renameFolder = (id: string, name: string) => take(api.PUT("/v1/econtract/web_app/document/folders/{folder_id}", { ...at(id), body: { name } }));

/** Deletes a folder. Its documents stay in my lists. */
export const deleteFolder = (id: string) => take(api.DELETE("/v1/econtract/web_app/document/folders/{folder_id}", at(id)));
