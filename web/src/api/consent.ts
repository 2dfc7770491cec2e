import { queryOptions } from "@tanstack/react-query";

import { api, take, type Schemas } from "./client";

/** The consent text for the signers of a document, and whether I accepted it before. */
export const consent = (id: number) =>
  queryOptions({ queryKey: ["document", id, "consent"], queryFn: async () => (await take(api.GET("/v1/econtract/web_app/document/consent/{document_id}", { params: { path: { document_id: id } } }))).data });

/** The text that a signer accepted, in the language in which they read it. */
export type Accepted = Schemas["ConsentIn"];
