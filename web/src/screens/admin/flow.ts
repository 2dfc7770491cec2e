export const tabs = ["people", "teams", "documents", "quota", "serials", "attempts", "reconciliation", "stuck", "certificates", "branding", "consent", "reminders", "labels", "locale", "accounts", "provider", "keys", "retention", "embedding", "mail", "webhooks", "organisations", "logins", "log"] as const;
export type Tab = (typeof tabs)[number];

/** What only operators are shown. */
export const operatorTabs: readonly Tab[] = ["organisations"];

/** What auditors are shown. */
export const auditorTabs: readonly Tab[] = ["people", "documents", "quota", "serials", "attempts", "reconciliation", "stuck", "certificates", "retention", "logins", "log"];

/** The filters of a list. Each list has some of them. */
export interface Filters {
  /** A state, a unit or a type of event. */
  only?: string | undefined;
  /** A step of the service. */
  step?: string | undefined;
  /** Part of a name or an e-mail, or a serial number. */
  find?: string | undefined;
  /** The number of a document. */
  document?: number | undefined;
  /** The e-mail of who did something. */
  person?: string | undefined;
  /** The first and the last day, as 2024-10-14. */
  from?: string | undefined;
  until?: string | undefined;
}

export interface AdminSearch extends Filters {
  tab: Tab;
  page: number;
  /** For operators: the organisation whose data is shown; missing: all. */
  organisation?: string | undefined;
  /** The page of the quotas, beside that of the ledger. */
  quotas?: number | undefined;
}

const filters = ["only", "step", "find", "document", "person", "from", "until"] as const;

/** The search of a list without filters. */
export const withoutFilters = (s: AdminSearch): AdminSearch => ({ tab: s.tab, page: 1, ...(s.organisation ? { organisation: s.organisation } : {}) });

export const isFiltered = (s: Filters) => filters.some((f) => s[f] !== undefined);

/** Reads the valid parameters of the address. */
export function readAdmin(s: Record<string, unknown>): AdminSearch {
  const text = (v: unknown) => ((typeof v === "string" || typeof v === "number") && v !== "" ? String(v).slice(0, 200) : undefined);
  const number = (v: unknown) => (Number.isSafeInteger(Number(v)) && Number(v) > 0 ? Number(v) : undefined);
  const day = (v: unknown) => (typeof v === "string" && /^\d{4}-\d{2}-\d{2}$/.test(v) && !Number.isNaN(Date.parse(v)) ? v : undefined);
  const found: Record<string, unknown> = {
    only: text(s.only), step: text(s.step), find: text(s.find), document: number(s.document), person: text(s.person), from: day(s.from), until: day(s.until),
    organisation: text(s.organisation), quotas: number(s.quotas),
  };
  const given = Object.fromEntries(Object.entries(found).filter(([, v]) => v !== undefined));
  return { tab: tabs.find((x) => x === s.tab) ?? "people", page: number(s.page) ?? 1, only: undefined, ...given };
}

/** The bounds of a period as times, from the start of the first day to the end of the last day here. */
export function periodOf({ from, until }: Filters): { from?: string; until?: string } {
  const midnight = (day: string, later: number) => {
    const [year, month, date] = day.split("-").map(Number);
    return new Date(year!, month! - 1, date! + later).toISOString();
  };
  return { ...(from ? { from: midnight(from, 0) } : {}), ...(until ? { until: midnight(until, 1) } : {}) };
}
