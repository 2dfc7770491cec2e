export const tabs = ["people", "quota", "serials", "reconciliation", "stuck", "certificates", "log"] as const;
export type Tab = (typeof tabs)[number];

export interface AdminSearch {
  tab: Tab;
  page: number;
  /** The filter: a state, a unit, a type of event, or part of a name. */
  only: string | undefined;
}

/** Reads the valid parameters of the address. */
export function readAdmin(s: Record<string, unknown>): AdminSearch {
  const page = Number(s.page);
  return {
    tab: tabs.find((x) => x === s.tab) ?? "people",
    page: Number.isInteger(page) && page > 0 ? page : 1,
    only: (typeof s.only === "string" || typeof s.only === "number") && s.only !== "" ? String(s.only).slice(0, 200) : undefined,
  };
}
