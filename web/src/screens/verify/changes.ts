import type { Reason, Report } from "../../api/verify";

export interface Change {
  revision: number;
  allowed: boolean;
  what: Reason;
}

export interface PageChanges {
  /** From 1; 0 for what belongs to no page. */
  page: number;
  changes: Change[];
}

const key = (revision: number, r: Reason) => `${revision} ${r.code} ${r.args.page ?? ""} ${r.args.where ?? ""} ${r.args.field ?? ""}`;

/** What was changed behind the first signature, page by page; what belongs to no page comes last, what is not allowed first. */
export function changesByPage(report: Pick<Report, "revisions" | "signatures">): PageChanges[] {
  const all = new Map<string, Change>();
  for (const { revision, what } of report.revisions) for (const r of what) all.set(key(revision, r), { revision, allowed: true, what: r });
  // One signature may allow what another forbids; and the list of a revision may be cut, but not of what is forbidden.
  for (const s of report.signatures) for (const later of s.later) if (!later.allowed) for (const r of later.what) all.set(key(later.revision, r), { revision: later.revision, allowed: false, what: r });
  const pages = new Map<number, Change[]>();
  for (const c of all.values()) {
    const page = Number(c.what.args.page) || 0;
    pages.set(page, [...(pages.get(page) ?? []), c]);
  }
  return [...pages]
    .map(([page, changes]) => ({ page, changes: changes.sort((a, b) => Number(a.allowed) - Number(b.allowed) || a.revision - b.revision) }))
    .sort((a, b) => (a.page || Infinity) - (b.page || Infinity));
}
