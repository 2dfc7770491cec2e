import type { Reason, Report } from "../../api/verify";

export interface Change {
  revision: number;
  allowed: boolean;
  what: Reason;
}

export interface PageChanges {
  /** From 1; 0 for what belongs to no page. */
  page: number;
  /** What is not allowed comes first. */
  changes: Change[];
  /** Which signatures were added here, as indexes of the report's: those that may be. */
  added: number[];
}

export interface Changes {
  /** What belongs to no page comes last. */
  pages: PageChanges[];
  /** What every program that signs writes beside, and nobody can see. */
  technical: Change[];
}

/** Changes that say no more than that somebody signed in a field. */
const signing = ["signed", "signature_field", "timestamp", "appearance", "shows"].map((c) => `change.${c}`);
const beside = ["unchanged", "cross_reference", "trailer", "store", "appearance", "form", "metadata", "extensions", "structure", "annotations", "catalog", "page", "information", "nothing_visible"].map((c) => `change.${c}`);

const key = (revision: number, r: Reason) => `${revision} ${r.code} ${r.args.page ?? ""} ${r.args.where ?? ""} ${r.args.field ?? ""}`;

/** What was changed behind the first signature, page by page. */
export function changesByPage(report: Pick<Report, "revisions" | "signatures">): Changes {
  const all = new Map<string, Change>();
  for (const { revision, what } of report.revisions) for (const r of what) all.set(key(revision, r), { revision, allowed: true, what: r });
  // One signature may allow what another forbids; and the list of a revision may be cut, but not of what is forbidden.
  for (const allowed of [true, false]) {
    for (const s of report.signatures) for (const later of s.later) if (later.allowed === allowed) for (const r of later.what) all.set(key(later.revision, r), { revision: later.revision, allowed, what: r });
  }
  const pages = new Map<number, PageChanges>(), technical: Change[] = [];
  const on = (page: number) => pages.get(page) ?? pages.set(page, { page, changes: [], added: [] }).get(page)!;
  for (const c of all.values()) {
    const signed = report.signatures.findIndex((s) => s.field !== "" && (s.field === c.what.args.field || `"${s.field}"` === c.what.args.where));
    if (c.allowed && signed >= 0 && signing.includes(c.what.code)) {
      const { added } = on(report.signatures[signed]!.page);
      if (!added.includes(signed)) added.push(signed);
    } else if (c.allowed && beside.includes(c.what.code)) technical.push(c);
    else on(Number(c.what.args.page) || 0).changes.push(c);
  }
  for (const p of pages.values()) {
    p.changes.sort((a, b) => Number(a.allowed) - Number(b.allowed) || a.revision - b.revision);
    p.added.sort((a, b) => a - b);
  }
  return { pages: [...pages.values()].sort((a, b) => (a.page || Infinity) - (b.page || Infinity)), technical };
}

/** Whether something was changed that must not be, and the report does not tell on which page that is to be seen. */
export const unlocated = (pages: PageChanges[]) => pages.some((p) => p.page === 0 && p.changes.some((c) => !c.allowed));

/**
 * How many of the file's first bytes are its state as it was first signed; undefined where nothing follows it, or where
 * that state is not what was signed.
 */
export function asSigned(report: Pick<Report, "signatures">): number | undefined {
  const first = report.signatures.find((s) => s.covers.whole && !["HASH_FAILURE", "SIG_CRYPTO_FAILURE"].includes(s.sub_indication) && s.integrity !== "cannot be judged");
  return first && !first.covers.all ? first.covers.length : undefined;
}
