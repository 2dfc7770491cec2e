import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { api, service, take, type Schemas } from "./client";

export type Template = Schemas["TemplateItem"];

/** One page of the templates of the caller and of their teams, by title. */
export const templates = (page: number, search: string) =>
  queryOptions({
    queryKey: ["documents", "templates", page, search],
    queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/templates", { params: { query: { page, sort: "title", ...(search ? { search } : {}) } } }))).data,
    placeholderData: keepPreviousData,
  });

/** Saves a document as a template. Roles take the place of people, by their identifier. */
export const saveTemplate = async (id: number, title: string, roles: { user_id: string; name: string }[]) =>
  (await take(api.POST("/v1/econtract/{service}/sign/template-docs", { params: service, body: { document_id: id, document_title: title, placeholders: roles } }))).response.data;

/** Makes a draft from a template. Its roles stay open. */
export const draftOfTemplate = async (id: number) =>
  (await take(api.POST("/v1/econtract/{service}/sign/use-template-docs", { params: service, body: { document_id: id } }))).response.data;

/** Changes the title of a template that still has the version. */
export const renameTemplate = (t: Template, title: string) =>
  take(api.POST("/v1/econtract/{service}/sign/describe-docs", { params: service, body: { document_id: t.id, document_title: title, version: t.version } }));
