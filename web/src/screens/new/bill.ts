import { holders, signs, type Person, type Placement } from "../../api/documents";

/** What finalize costs. */
export interface Bill {
  emet: number;
  esgn: number;
  /** No signature is needed: the document is stamped and completed. */
  stampOnly: boolean;
}

/** Counts what a draft will cost, as the service counts it at finalize. */
export function bill(people: Person[], placed: Placement[], owner: string): Bill {
  const emet = placed.filter((p) => p.type === "emet").length;
  const waited = people.filter((p) => p.role === "signer"); // approvers too
  const stampOnly = placed.length > 0 && emet === placed.length && waited.every((p) => p.user_id === owner && p.acts_as === "signer");
  return { emet, esgn: stampOnly ? 0 : holders(people.filter(signs)).length, stampOnly };
}

/** People grouped by the step in which they act; all in one group if the order does not matter. */
export function rounds(people: Person[], parallel: boolean): Person[][] {
  if (parallel) return people.length > 0 ? [people] : [];
  const at = [...new Set(people.map((p) => p.number))].sort((a, b) => a - b);
  return at.map((n) => people.filter((p) => p.number === n));
}
