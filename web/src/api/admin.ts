import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { base } from "./base";
import { api, take, type Schemas } from "./client";

export type AdminPerson = Schemas["AdminPerson"];
export type Serial = Schemas["SerialLine"];
export type SerialState = Serial["state"];
export type Unit = "emet" | "base";
export type Reconciliation = Schemas["Reconciliation"];
export type Certificate = Schemas["CertificateLine"];
export type Stuck = Schemas["StuckLine"];

export const serialStates = ["taken", "free", "bound", "affixed", "quarantined"] as const;
export const standings = ["valid", "ended", "revoked"] as const;
export const units = ["emet", "base"] as const;

/** Selects a page of a list; only filters by one of the service's words. */
export interface Selection {
  page: number;
  only?: string | undefined;
}

const lines = 50;
const pageOf = (s: Selection) => ({ page: s.page, limit: lines });

/** All queries of administration have keys below "admin", so that one call refetches them after a change. */
const key = (...of: unknown[]) => ["admin", ...of];

/** Lists accounts; only is part of a name or an e-mail. */
export const people = (s: Selection) =>
  queryOptions({ queryKey: key("people", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/people", { params: { query: { ...pageOf(s), ...(s.only ? { search: s.only } : {}) } } }))).data });

export const addPerson = async (name: string, email: string, admin: boolean) =>
  (await take(api.POST("/v1/admin/people", { body: { name, email, admin } }))).response.data;

export const quota = queryOptions({ queryKey: key("quota"), queryFn: async () => (await take(api.GET("/v1/admin/quota"))).data.organisations });

export const ledger = (s: Selection) =>
  queryOptions({ queryKey: key("ledger", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/quota/ledger", { params: { query: { ...pageOf(s), unit: one(units, s.only) } } }))).data });

/** Grants quota; name is an idempotency key, so that a repeat grants nothing more. */
export const grant = async (name: string, body: { organisation: string; unit: Unit; count: number; reason: string }) =>
  (await take(api.POST("/v1/admin/quota", { params: { header: { "Idempotency-Key": name } }, body }))).response.data;

export const serials = (s: Selection) =>
  queryOptions({ queryKey: key("serials", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/serials", { params: { query: { ...pageOf(s), state: one(serialStates, s.only) } } }))).data });

export const attemptsCSV = `${base}/v1/admin/attempts.csv`;

export const reconciliation = queryOptions({ queryKey: key("reconciliation"), queryFn: async () => (await take(api.GET("/v1/admin/reconciliation"))).data.report as Reconciliation | null });

export const reconcile = async () => (await take(api.POST("/v1/admin/reconciliation"))).response.data.report as Reconciliation | null;

export const stuck = (s: Selection) =>
  queryOptions({ queryKey: key("stuck", s), placeholderData: keepPreviousData, refetchInterval: 15_000, queryFn: async () => (await take(api.GET("/v1/admin/stuck", { params: { query: pageOf(s) } }))).data });

export const retry = (id: number) => take(api.POST("/v1/admin/stuck/{document_id}/retry", { params: { path: { document_id: id } } }));

export const certificates = (s: Selection) =>
  queryOptions({ queryKey: key("certificates", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/certificates", { params: { query: { ...pageOf(s), standing: one(standings, s.only) } } }))).data });

/** The language is part of the key, because the service describes events in sentences. */
export const log = (s: Selection, language: string) =>
  queryOptions({ queryKey: key("log", language, s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/audit-log", { params: { query: { ...pageOf(s), ...(s.only ? { type: s.only } : {}) } } }))).data });

const one = <T extends string>(of: readonly T[], word: string | undefined): T | undefined => of.find((x) => x === word);
