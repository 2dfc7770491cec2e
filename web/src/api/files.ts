import { queryOptions } from "@tanstack/react-query";

import { base } from "./base";
import { api, take } from "./client";

/** Where the files of a document are fetched: the current one, the finished one, its evidence certificate, and the upload. */
export const address = {
  /** The page that opens the document as the guest whom it names with the mailbox of the account. */
  asGuest: (id: number) => `${base}/guest?open=${id}`,
  preview: (id: number) => `${base}/v1/econtract/web_app/document/preview/${id}`,
  download: (id: number) => `${base}/v1/econtract/web_app/document/download/${id}`,
  evidence: (id: number) => `${base}/v1/econtract/web_app/document/evidence/${id}`,
  /** The finished files of several documents, with a text file in a language about those that are not among them. */
  archive: (ids: number[], language: string) => `${base}/v1/econtract/web_app/document/archive?ids=${ids.join(",")}&language=${language}`,
  original: (id: number) => `${base}/v1/econtract/web_app/document/original/${id}`,
};

/** How many documents one archive may have. */
export const maxArchived = 200;

/** How large a file may be, and how many pages a document may have. */
export const limits = queryOptions({
  queryKey: ["limits"],
  queryFn: async () => (await take(api.GET("/v1/verify/limits"))).data,
  staleTime: Infinity,
});
