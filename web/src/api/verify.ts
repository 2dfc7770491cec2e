import { queryOptions } from "@tanstack/react-query";

import { api, take, type Schemas } from "./client";

export type Reason = Schemas["ReportReason"];
export type Stamp = Schemas["ReportStamp"];
export type Certificate = Schemas["ReportCertificate"];

/** A signature as in the report: without a certificate there is no signer, without a timestamp no proven time. */
export type Signature = Schemas["ReportSignature"];
export type Report = Schemas["Report"];

/** Sends a file for verification; the service does not keep it. A password opens an encrypted file. */
export async function verify(file: File, password: string): Promise<Report> {
  const form = new FormData();
  form.set("filename", file.name);
  if (password) form.set("password", password);
  form.set("document", file); // last: the service reads the fields before the file arrives
  const body = { document: file.name };
  return (await take(api.POST("/v1/verify", { body, bodySerializer: () => form }))).data;
}

/** What anyone may know about a duty stamp's serial. */
export const stampOf = (serial: string, language: string) =>
  queryOptions({
    queryKey: ["serial", serial, language],
    queryFn: async () => (await take(api.GET("/v1/verify/serial/{serial}", { params: { path: { serial } } }))).data,
    staleTime: 60_000,
  });
