import { periods, states, type Search, type State } from "../../api/documents";

/** Reads the valid parameters of a list's address. */
export function readSearch(s: Record<string, unknown>): Search {
  const page = Number(s.page);
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    status: states.includes(s.status as State) ? (s.status as State) : undefined,
    periode: periods.find((p) => p === s.periode) ?? "all",
    search: typeof s.search === "string" || typeof s.search === "number" ? String(s.search).slice(0, 200) : "",
  };
}
