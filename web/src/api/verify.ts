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
  return (await take(api.POST("/v1/verify", formOf(file, password)))).data;
}

/** Verifies a file again and returns the report as PDF: the service kept neither the file nor the report. */
export const verifyForPDF = (file: File, password: string): Promise<Blob> => take(api.POST("/v1/verify/report", { ...formOf(file, password), parseAs: "blob" }));

function formOf(file: File, password: string) {
  const form = new FormData();
  form.set("filename", file.name);
  if (password) form.set("password", password);
  form.set("document", file); // last: the service reads the fields before the file arrives
  return { body: { document: file.name }, bodySerializer: () => form };
}

/** What anyone may know about a duty stamp's serial. */
export const stampOf = (serial: string, language: string) =>
  queryOptions({
    queryKey: ["serial", serial, language],
    queryFn: async () => (await take(api.GET("/v1/verify/serial/{serial}", { params: { path: { serial } } }))).data,
    staleTime: 60_000,
  });
