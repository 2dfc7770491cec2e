import { orders, periods, states, type Search, type Tab } from "../../api/documents";

const tabs: Tab[] = ["waiting", "all", ...states];

const text = (v: unknown) => (typeof v === "string" || typeof v === "number" ? String(v).slice(0, 200) : "");

/** Reads the valid parameters of a list's address. */
export function readSearch(s: Record<string, unknown>): Search {
  const page = Number(s.page);
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    status: tabs.find((v) => v === s.status),
    periode: periods.find((p) => p === s.periode) ?? "all",
    search: text(s.search),
    person: text(s.person),
    ...(text(s.label) ? { label: text(s.label) } : {}),
    ...(text(s.folder) ? { folder: text(s.folder) } : {}),
    ...(text(s.team) ? { team: text(s.team) } : {}),
    sort: orders.find((o) => o === s.sort) ?? "created",
  };
}
