import { base } from "./base";

/** Where the files of a document are fetched: the current one, the finished one, and the upload. */
export const address = {
  preview: (id: number) => `${base}/v1/econtract/web_app/document/preview/${id}`,
  download: (id: number) => `${base}/v1/econtract/web_app/document/download/${id}`,
  original: (id: number) => `${base}/v1/econtract/web_app/document/original/${id}`,
};
