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
export type Mail = Schemas["MailLine"];

export const serialStates = ["taken", "free", "bound", "affixed", "quarantined"] as const;
export const standings = ["valid", "ended", "revoked"] as const;
export const units = ["emet", "base"] as const;
export const noticeStates = ["ordered", "sent", "kept", "failed", "dropped"] as const;
export const keyStatuses = ["active", "expired", "revoked"] as const;
export const waitingSteps = ["converted", "stamped", "sealed"] as const;
export const accountStatuses = ["active", "initial_password", "disabled", "erased"] as const;

/** Selects a page of a list. Each list has some of the filters. */
export interface Selection {
  page: number;
  /** A state, a unit or a type of event, as the service names it. */
  only?: string | undefined;
  /** A step of the service. */
  step?: string | undefined;
  /** Part of a name or an e-mail, or a serial number. */
  find?: string | undefined;
  document?: number | undefined;
  /** The e-mail of who did something. */
  person?: string | undefined;
  /** Bounds of the period, in ISO 8601. */
  from?: string | undefined;
  until?: string | undefined;
  organisation?: string | undefined;
}

const lines = 50;

/** Omits members without a value, so that they are not in the query. */
function given<T extends object>(of: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(of).filter(([, v]) => v !== undefined && v !== "")) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

const pageOf = (s: Selection) => ({ page: s.page, limit: lines, ...given({ organisation: s.organisation }) });
const periodOf = (s: Selection) => ({ from: s.from, until: s.until });

/** All queries of administration have keys below "admin", so that one call refetches them after a change. */
const key = (...of: unknown[]) => ["admin", ...of];

export const people = (s: Selection) =>
  queryOptions({ queryKey: key("people", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/people", { params: { query: { ...pageOf(s), ...given({ search: s.find, status: one(accountStatuses, s.only) }) } } }))).data });

export type Role = AdminPerson["role"];
export const roles = ["member", "sender", "admin", "auditor"] as const satisfies readonly Role[];

export type SentDocument = Schemas["SentDocument"];
export const sentStates = ["processing", "completed", "rejected", "canceled", "expired", "failed"] as const;

/** The documents of an organisation that were sent, newest first. */
export const sentDocuments = (s: Selection) =>
  queryOptions({ queryKey: key("documents", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/documents", { params: { query: { ...pageOf(s), ...given({ search: s.find, owner: s.person, status: one(sentStates, s.only) }) } } }))).data });

export const addPerson = async (body: { name: string; email: string; role: Role; organisation?: string }) =>
  (await take(api.POST("/v1/admin/people", { body }))).response.data;

export type Invitation = Schemas["InvitationLine"];

/** The open invitations, the newest first. */
export const invitations = (organisation: string | undefined, page: number) =>
  queryOptions({ queryKey: ["admin", "invitations", organisation, page], placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/invitations", { params: { query: { page, limit: 20, ...given({ organisation }) } } }))).data });

/** What an administrator does with invitations. */
export const invitation = {
  send: async (body: { email: string; name?: string; role: Role; language?: "id" | "en"; organisation?: string }) => (await take(api.POST("/v1/admin/invitations", { body }))).response.data.invitation,
  resend: (id: string) => take(api.PUT("/v1/admin/invitations/{invitation_id}/sent", { params: { path: { invitation_id: id } } })),
  revoke: (id: string) => take(api.DELETE("/v1/admin/invitations/{invitation_id}", { params: { path: { invitation_id: id } } })),
};

const person = (id: string) => ({ params: { path: { person_id: id } } });

/** What an administrator does to an account. */
export const account = {
  setRole: (id: string, role: Role) => take(api.PUT("/v1/admin/people/{person_id}/role", { ...person(id), body: { role } })),
  resetFactors: (id: string) => take(api.DELETE("/v1/admin/people/{person_id}/factors", person(id))),
  resetPassword: async (id: string) => (await take(api.POST("/v1/admin/people/{person_id}/password", person(id)))).response.data,
  rename: async (id: string, name: string) => (await take(api.PUT("/v1/admin/people/{person_id}/name", { ...person(id), body: { name } }))).response.data.person,
  /** Gives the documents of a person to another one, in as many requests as that takes. Repeated after a failure, it goes on. */
  transfer: async (id: string, to: string) => {
    for (let left = 1, moved = 0; ; ) {
      if (left <= 0) return moved;
      const { data } = (await take(api.PUT("/v1/admin/people/{person_id}/successor", { ...person(id), body: { to } }))).response;
      moved += data.transferred;
      left = data.left;
    }
  },
  /** Erases the data of a person whose account is disabled. */
  erase: (id: string) => take(api.PUT("/v1/admin/people/{person_id}/erased", person(id))),
  disable: async (id: string) => (await take(api.PUT("/v1/admin/people/{person_id}/disabled", person(id)))).response.data.person,
  enable: async (id: string) => (await take(api.DELETE("/v1/admin/people/{person_id}/disabled", person(id)))).response.data.person,
};

/** Erases what an organisation stores about a person without an account, by their address or their phone number. The answer is the same for a person it does not know. */
export const eraseGuest = (body: Schemas["ErasedGuestIn"]) => take(api.PUT("/v1/admin/guests/erased", { body }));

export type Organisation = Schemas["OrganisationLine"];

/** The organisations, by name; for operators. */
export const organisations = (s: Selection) =>
  queryOptions({ queryKey: key("organisations", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/organisations", { params: { query: { page: s.page, limit: lines, ...given({ search: s.find }) } } }))).data });

/** Creates an organisation; idempotency is a key, so that a repeat creates no other one. */
export const addOrganisation = async (idempotency: string, name: string) =>
  (await take(api.POST("/v1/admin/organisations", { params: { header: { "Idempotency-Key": idempotency } }, body: { name } }))).response.data.organisation;

const ofOrganisation = (id: string) => ({ params: { path: { organisation_id: id } } });

/** What an operator does to an organisation. */
export const organisation = {
  rename: (id: string, name: string) => take(api.PUT("/v1/admin/organisations/{organisation_id}/name", { ...ofOrganisation(id), body: { name } })),
  suspend: (id: string, reason: string) => take(api.PUT("/v1/admin/organisations/{organisation_id}/suspended", { ...ofOrganisation(id), body: { reason } })),
  resume: (id: string) => take(api.DELETE("/v1/admin/organisations/{organisation_id}/suspended", ofOrganisation(id))),
  close: (id: string, name: string, reason: string) => take(api.PUT("/v1/admin/organisations/{organisation_id}/closed", { ...ofOrganisation(id), body: { name, reason } })),
};

export const quota = (s: Selection, limit = 10) =>
  queryOptions({ queryKey: key("quota", s, limit), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/quota", { params: { query: { ...pageOf(s), limit, ...given({ search: s.find }) } } }))).data });

export const ledger = (s: Selection) =>
  queryOptions({ queryKey: key("ledger", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/quota/ledger", { params: { query: { ...pageOf(s), ...given({ unit: one(units, s.only), ...periodOf(s) }) } } }))).data });

/** Grants quota; name is an idempotency key, so that a repeat grants nothing more. */
export const grant = async (name: string, body: { organisation: string; unit: Unit; count: number; reason: string }) =>
  (await take(api.POST("/v1/admin/quota", { params: { header: { "Idempotency-Key": name } }, body }))).response.data;

export const serials = (s: Selection) =>
  queryOptions({ queryKey: key("serials", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/serials", { params: { query: { ...pageOf(s), ...given({ state: one(serialStates, s.only), serial: s.find, document_id: s.document }) } } }))).data });

const attemptFilters = (s: Selection) => given({ serial: s.find, document_id: s.document, ...periodOf(s) });

export const attempts = (s: Selection) =>
  queryOptions({ queryKey: key("attempts", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/attempts", { params: { query: { ...pageOf(s), ...attemptFilters(s) } } }))).data });

const csv = (path: string, filters: object) => `${base}${path}?${new URLSearchParams(Object.entries(filters).map(([k, v]) => [k, String(v)])).toString()}`;

/** The address of the attempts that a selection has, as a spreadsheet. */
export const attemptsCSV = (s: Selection) => csv("/v1/admin/attempts.csv", { ...given({ organisation: s.organisation }), ...attemptFilters(s) });

export const reconciliation = queryOptions({ queryKey: key("reconciliation"), queryFn: async () => (await take(api.GET("/v1/admin/reconciliation"))).data.report as Reconciliation | null });

export const reconcile = async () => (await take(api.POST("/v1/admin/reconciliation"))).response.data.report as Reconciliation | null;

export const stuck = (s: Selection) =>
  queryOptions({ queryKey: key("stuck", s), placeholderData: keepPreviousData, refetchInterval: 15_000, queryFn: async () => (await take(api.GET("/v1/admin/stuck", { params: { query: { ...pageOf(s), ...given({ search: s.find, owner: s.person, status: one(["failed"] as const, s.only), step: one(waitingSteps, s.step) }) } } }))).data });

export const retry = (id: number) => take(api.POST("/v1/admin/stuck/{document_id}/retry", { params: { path: { document_id: id } } }));

export const certificates = (s: Selection) =>
  queryOptions({ queryKey: key("certificates", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/certificates", { params: { query: { ...pageOf(s), ...given({ standing: one(standings, s.only), serial: s.find }) } } }))).data });

export const mail = (s: Selection) =>
  queryOptions({
    queryKey: key("mail", s), placeholderData: keepPreviousData,
    queryFn: async () => (await take(api.GET("/v1/admin/mail", { params: { query: { ...pageOf(s), ...given({ status: one(noticeStates, s.only), document_id: s.document }) } } }))).data,
  });

/** A message with its link. Each time it is read, the audit trail says that a guest's link was handed out: it is not read again by itself. */
export const mailMessage = (id: string) =>
  queryOptions({
    queryKey: ["mail", id], staleTime: Infinity,
    queryFn: async () => (await take(api.GET("/v1/admin/mail/{notice_id}", { params: { path: { notice_id: id } } }))).data,
  });

export const retryMail = (id: string) => take(api.PUT("/v1/admin/mail/{notice_id}/ordered", { params: { path: { notice_id: id } } }));

const logFilters = (s: Selection) => given({ type: s.only, document_id: s.document, person: s.person, ...periodOf(s) });

/** The language is part of the key, because the service describes events in sentences. */
export const log = (s: Selection, language: string) =>
  queryOptions({ queryKey: key("log", language, s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/audit-log", { params: { query: { ...pageOf(s), ...logFilters(s) } } }))).data });

/** The address of the events that a selection has, as a spreadsheet in a language. */
export const logCSV = (s: Selection, language: string) => csv("/v1/admin/audit-log.csv", { language, ...given({ organisation: s.organisation }), ...logFilters(s) });

const loginKinds = ["login", "login_failed", "login_limited", "logout"] as const;
const loginFilters = (s: Selection) => given({ kind: one(loginKinds, s.only), search: s.find, person: s.person, ...periodOf(s) });

/** The language is part of the key, because the service describes logins in sentences. */
export const logins = (s: Selection, language: string) =>
  queryOptions({ queryKey: key("logins", language, s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/logins", { params: { query: { ...pageOf(s), ...loginFilters(s) } } }))).data });

/** The address of the logins that a selection has, as a spreadsheet in a language. */
export const loginsCSV = (s: Selection, language: string) => csv("/v1/admin/logins.csv", { language, ...given({ organisation: s.organisation }), ...loginFilters(s) });

export type Branding = Schemas["AdminBranding"];

/** Logo and colour of an organisation; undefined: the caller's own. */
export const branding = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("branding", organisation), queryFn: async () => (await take(api.GET("/v1/admin/branding", { params: { query: organisation ? { organisation } : {} } }))).data });

/** Replaces logo and colour. A file that is undefined keeps the stored logo, and null removes it. */
export async function setBranding(organisation: string, colour: string, file: File | null | undefined): Promise<Branding> {
  const logo = file === undefined ? {} : { logo: file === null ? "" : await dataOf(file) };
  return (await take(api.PUT("/v1/admin/branding", { body: { organisation, colour, ...logo } }))).response.data;
}

export const removeBranding = (organisation: string) => take(api.DELETE("/v1/admin/branding", { params: { query: { organisation } } }));

export type AdminConsent = Schemas["AdminConsent"];

/** The consent text of an organisation; undefined: the caller's own. */
export const adminConsent = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("consent", organisation), queryFn: async () => (await take(api.GET("/v1/admin/consent", { params: { query: organisation ? { organisation } : {} } }))).data });

/** Changes the consent text or whether it is required. Other texts are a new version; empty ones stand for the text of the service. */
export const setConsent = async (organisation: string, to: { id?: string; en?: string; required?: boolean }) =>
  (await take(api.PUT("/v1/admin/consent", { body: { organisation, ...to, ...(to.required === undefined ? {} : { required: to.required ? 1 : 0 }) } }))).response.data;

export type AdminReminders = Schemas["AdminReminders"];

export type Team = Schemas["AdminTeam"];

/** The teams of an organisation with their members; undefined: the caller's own. */
export const teams = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("teams", organisation), queryFn: async () => (await take(api.GET("/v1/admin/teams", { params: { query: organisation ? { organisation } : {} } }))).data.teams });

export const team = {
  add: (organisation: string | undefined, name: string) => take(api.POST("/v1/admin/teams", { body: { name, ...(organisation ? { organisation } : {}) } })),
  rename: (id: string, name: string) => take(api.PUT("/v1/admin/teams/{team_id}/name", { params: { path: { team_id: id } }, body: { name } })),
  remove: (id: string) => take(api.DELETE("/v1/admin/teams/{team_id}", { params: { path: { team_id: id } } })),
  addMember: (id: string, person: string) => take(api.PUT("/v1/admin/teams/{team_id}/members/{person_id}", { params: { path: { team_id: id, person_id: person } } })),
  removeMember: (id: string, person: string) => take(api.DELETE("/v1/admin/teams/{team_id}/members/{person_id}", { params: { path: { team_id: id, person_id: person } } })),
};

export type AdminLocale = Schemas["AdminLocale"];

/** The language and the time zone of an organisation; undefined: the caller's own. */
export const adminLocale = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("locale", organisation), queryFn: async () => (await take(api.GET("/v1/admin/locale", { params: { query: organisation ? { organisation } : {} } }))).data });

/** Replaces both; without a language, messages have that of the service. */
export const setLocale = async (organisation: string, language: "id" | "en" | undefined, timeZone: string) =>
  (await take(api.PUT("/v1/admin/locale", { body: { organisation, time_zone: timeZone, ...(language ? { language } : {}) } }))).response.data;

/** The reminders of an organisation's new documents; undefined: the caller's own. */
export const adminReminders = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("reminders", organisation), queryFn: async () => (await take(api.GET("/v1/admin/reminders", { params: { query: organisation ? { organisation } : {} } }))).data });

/** Replaces the reminders of an organisation's new documents, in days; 0: none. */
export const setReminders = async (organisation: string, remind: AdminReminders["remind"]) =>
  (await take(api.PUT("/v1/admin/reminders", { body: { organisation, remind } }))).response.data;

export type AccountPolicy = Schemas["AdminAccountPolicy"];

/** The requirements of an organisation for accounts; undefined: the caller's own. */
export const accountPolicy = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("account-policy", organisation), queryFn: async () => (await take(api.GET("/v1/admin/account-policy", { params: { query: organisation ? { organisation } : {} } }))).data });

/** Changes the members that are given. */
export const changeAccountPolicy = async (organisation: string, to: Partial<Pick<AccountPolicy, "idle_minutes" | "absolute_hours" | "login_factor"> & { sign_factor: 0 | 1; hide_addresses: 0 | 1 }>) =>
  (await take(api.PUT("/v1/admin/account-policy", { body: { organisation, ...to } }))).response.data;

export type Embedding = Schemas["AdminEmbedding"];

/** Whose pages may show those of an organisation in frames; undefined: the caller's own. */
export const embedding = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("embedding", organisation), queryFn: async () => (await take(api.GET("/v1/admin/embedding", { params: { query: organisation ? { organisation } : {} } }))).data });

export const setEmbedding = async (organisation: string, origins: string[]): Promise<Embedding> =>
  (await take(api.PUT("/v1/admin/embedding", { body: { organisation, origins } }))).response.data;

/** A file as a data URL, which the service takes for base64. */
const dataOf = (file: File) => new Promise<string>((done, failed) => {
  const reader = new FileReader();
  reader.onload = () => done(reader.result as string);
  reader.onerror = () => failed(reader.error ?? new Error("unreadable"));
  reader.readAsDataURL(file);
});

const one = <T extends string>(of: readonly T[], word: string | undefined): T | undefined => of.find((x) => x === word);

type LabelSettings = Pick<Schemas["LabelOut"], "name" | "colour">;

/** The labels of an organisation; without one, those of the caller's own. */
export const adminLabels = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("labels", organisation), queryFn: async () => (await take(api.GET("/v1/admin/labels", { params: { query: organisation ? { organisation } : {} } }))).data });

export const addLabel = ({ name, colour }: LabelSettings, organisation: string | undefined) => take(api.POST("/v1/admin/labels", { body: { name, colour, ...(organisation ? { organisation } : {}) } }));

const ofLabel = (id: string) => ({ params: { path: { label_id: id } } });

export const setLabel = (id: string, { name, colour }: LabelSettings) => take(api.PUT("/v1/admin/labels/{label_id}", { ...ofLabel(id), body: { name, colour } }));

export const deleteLabel = (id: string) => take(api.DELETE("/v1/admin/labels/{label_id}", ofLabel(id)));

/** What an organisation uses; undefined: the caller's own. */
export const usage = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("usage", organisation), queryFn: async () => (await take(api.GET("/v1/admin/usage", { params: { query: organisation ? { organisation } : {} } }))).data });

export type Retention = Schemas["AdminRetention"];
export type DueDocument = Schemas["DueDocument"];
export type Hold = Schemas["HoldOut"];

const inOrganisation = (organisation: string | undefined) => (organisation ? { organisation } : {});

/** For how long an organisation keeps the files of completed documents; undefined: the caller's own. */
export const retention = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("retention", organisation), queryFn: async () => (await take(api.GET("/v1/admin/retention", { params: { query: inOrganisation(organisation) } }))).data });

/** Sets it in years; 0: for ever. */
export const setRetention = async (organisation: string, years: number) => (await take(api.PUT("/v1/admin/retention", { body: { organisation, years } }))).response.data;

/** The documents whose files are due to be removed. */
export const dueRemovals = (organisation: string | undefined, page: number) =>
  queryOptions({ queryKey: key("removals", organisation, page), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/retention/due", { params: { query: { page, limit: lines, ...inOrganisation(organisation) } } }))).data });

/** The legal holds that last. */
export const holds = (organisation: string | undefined, page: number) =>
  queryOptions({ queryKey: key("holds", organisation, page), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/holds", { params: { query: { page, limit: lines, ...inOrganisation(organisation) } } }))).data });

/** Sets a legal hold on a document, or without one on all of an organisation. */
export const addHold = (organisation: string, document: number | undefined, reason: string) =>
  take(api.POST("/v1/admin/holds", { body: { organisation, reason, ...(document === undefined ? {} : { document_id: document }) } }));

export const liftHold = (id: string, reason: string) => take(api.PUT("/v1/admin/holds/{hold_id}/lifted", { params: { path: { hold_id: id } }, body: { reason } }));

export type Webhook = Schemas["WebhookOut"];
export type Delivery = Schemas["DeliveryOut"];

export interface WebhookSettings {
  url: string;
  description: string;
  /** Types of events; none: all. */
  types: string[];
  enabled: boolean;
}

/** The webhooks of an organisation; without one, those of the caller's own. */
export const webhooks = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("webhooks", organisation), queryFn: async () => (await take(api.GET("/v1/admin/webhooks", { params: { query: organisation ? { organisation } : {} } }))).data });

/** Creates a webhook. Its secret is shown only this once. */
export const addWebhook = async (settings: WebhookSettings, organisation: string | undefined) =>
  (await take(api.POST("/v1/admin/webhooks", { body: { ...settings, ...(organisation ? { organisation } : {}) } }))).response.data;

export const setWebhook = (id: string, settings: WebhookSettings) => take(api.PUT("/v1/admin/webhooks/{webhook_id}", { params: { path: { webhook_id: id } }, body: { ...settings } }));

export const deleteWebhook = (id: string) => take(api.DELETE("/v1/admin/webhooks/{webhook_id}", { params: { path: { webhook_id: id } } }));

/** Gives a webhook a new secret, which is shown only this once. */
export const rotateWebhook = async (id: string) => (await take(api.POST("/v1/admin/webhooks/{webhook_id}/rotate", { params: { path: { webhook_id: id } } }))).response.data;

export const testWebhook = (id: string) => take(api.PUT("/v1/admin/webhooks/{webhook_id}/test", { params: { path: { webhook_id: id } } }));

export const replayDelivery = (webhook: string, id: string) => take(api.PUT("/v1/admin/webhooks/{webhook_id}/replay", { params: { path: { webhook_id: webhook } }, body: { id } }));

/** Sends all events since a time again. */
export const replaySince = (webhook: string, since: string) => take(api.PUT("/v1/admin/webhooks/{webhook_id}/replay", { params: { path: { webhook_id: webhook } }, body: { since } }));

export const deliveryStates = ["ordered", "delivered", "dead"] as const;

/** Deliveries to a webhook, which change while they are looked at. */
export const deliveries = (id: string, s: Selection) =>
  queryOptions({
    queryKey: key("deliveries", id, s), refetchInterval: 3_000, placeholderData: keepPreviousData,
    queryFn: async () => (await take(api.GET("/v1/admin/webhooks/{webhook_id}/deliveries", { params: { path: { webhook_id: id }, query: { page: s.page, limit: 20, ...given({ status: one(deliveryStates, s.only), document_id: s.document }) } } }))).data,
  });

export type Key = Schemas["KeyOut"];
export type MemberKey = Schemas["MemberKeyOut"];
export type KeySettings = {
  name: string;
  scopes: string[];
  networks: string[];
  test: boolean;
  /** In ISO 8601; missing: never. */
  expires_at?: string;
};

export const keyScopes = ["documents:read", "documents:write", "sign", "stamp", "admin"] as const;

/** The API keys of the person who is logged in, who need not be an administrator. */
const keyFilters = (s: Selection) => given({ search: s.find, status: one(keyStatuses, s.only) });

export const ownKeys = (s: Selection) =>
  queryOptions({ queryKey: ["keys", s], placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/auth/keys", { params: { query: { page: s.page, limit: lines, ...keyFilters(s) } } }))).data });

/** Makes a key. The answer has its secret, which is never shown again. */
export const createKey = async (body: KeySettings) => (await take(api.POST("/v1/auth/keys", { body }))).response.data;

export const revokeKey = (id: string) => take(api.DELETE("/v1/auth/keys/{key_id}", { params: { path: { key_id: id } } }));

export const memberKeys = (s: Selection) =>
  queryOptions({ queryKey: key("keys", s), placeholderData: keepPreviousData, queryFn: async () => (await take(api.GET("/v1/admin/keys", { params: { query: { ...pageOf(s), ...keyFilters(s) } } }))).data });

export const revokeMemberKey = (id: string) => take(api.DELETE("/v1/admin/keys/{key_id}", { params: { path: { key_id: id } } }));

export type LoginProvider = Schemas["SsoData"];
export type LoginDomain = Schemas["SsoDomainOut"];
export type ProviderSettings = Pick<LoginProvider, "issuer" | "client_id" | "enabled" | "create" | "groups_claim" | "require_group" | "password_off" | "exempt" | "provider_factor" | "factor_acr" | "max_age"> & {
  groups: { group: string; role: Role }[];
  /** Missing: the stored one stays. */
  client_secret?: string;
};

/** The login provider of an organisation; undefined: the caller's own. */
export const loginProvider = (organisation: string | undefined) =>
  queryOptions({ queryKey: key("provider", organisation), queryFn: async () => (await take(api.GET("/v1/admin/sso", { params: { query: organisation ? { organisation } : {} } }))).data });

const domain = (name: string) => ({ path: { domain: name.trim() } });

/** What an administrator does about the login provider of an organisation. */
export const providers = {
  set: (organisation: string, to: ProviderSettings) => take(api.PUT("/v1/admin/sso", { body: { organisation, ...to } })),
  remove: (organisation: string) => take(api.DELETE("/v1/admin/sso", { params: { query: { organisation } } })),
  /** Whether it answers as a provider, with the sentence of the service about it. */
  test: async (organisation: string) => {
    const { response, msg } = await take(api.PUT("/v1/admin/sso/tested", { body: { organisation } }));
    return { works: response.data.works, msg };
  },
  claimDomain: (organisation: string, name: string) => take(api.PUT("/v1/admin/sso/domains/{domain}", { params: domain(name), body: { organisation } })),
  proveDomain: (organisation: string, name: string) => take(api.PUT("/v1/admin/sso/domains/{domain}/proven", { params: domain(name), body: { organisation } })),
  grantDomain: (organisation: string, name: string) => take(api.PUT("/v1/admin/sso/domains/{domain}/granted", { params: domain(name), body: { organisation } })),
  removeDomain: (organisation: string, name: string) => take(api.DELETE("/v1/admin/sso/domains/{domain}", { params: { ...domain(name), query: { organisation } } })),
};

/** The directory of an organisation (SCIM), with its groups. */
export const directory = (organisation: string) =>
  queryOptions({ queryKey: key("directory", organisation), queryFn: async () => (await take(api.GET("/v1/admin/scim", { params: { query: { organisation } } }))).data });

/** What an administrator does about the directory of an organisation. */
export const directories = {
  /** The secret is shown only this once. */
  replaceSecret: async (organisation: string) => (await take(api.PUT("/v1/admin/scim/secret", { body: { organisation } }))).response.data,
  removeSecret: (organisation: string) => take(api.DELETE("/v1/admin/scim/secret", { params: { query: { organisation } } })),
};
