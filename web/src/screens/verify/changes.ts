import type { Reason, Report } from "../../api/verify";

export interface Change {
  revision: number;
  allowed: boolean;
  what: Reason;
}

/** A field that was filled in, as is allowed. */
export interface Filled {
  field: string;
  revision: number;
  /** The signature of which it is the initials, as an index into the report. */
  initials: number | undefined;
}

export interface PageChanges {
  /** From 1; 0 for changes that belong to no page. */
  page: number;
  /** Changes that are not allowed come first. */
  changes: Change[];
  /** Signatures added here, as indexes into the report: those that are allowed. */
  added: number[];
  /** Fields filled in here, each once: those that are allowed. */
  filled: Filled[];
}

export interface Changes {
  /** Changes that belong to no page come last. */
  pages: PageChanges[];
  /** Changes that every signing program writes and readers cannot see. */
  technical: Change[];
}

/** Changes that only say that a field was filled in. */
const filling = ["filled", "appearance", "shows"].map((c) => `change.${c}`);
/** Changes that only say that a field was signed. */
const signing = ["signed", "signature_field", "timestamp", "appearance", "shows"].map((c) => `change.${c}`);
const beside = ["unchanged", "cross_reference", "trailer", "store", "appearance", "form", "metadata", "extensions", "structure", "annotations", "catalog", "page", "information", "nothing_visible", "more"].map((c) => `change.${c}`);

const key = (revision: number, r: Reason) => `${revision} ${r.code} ${r.args.page ?? ""} ${r.args.where ?? ""} ${r.args.field ?? ""}`;

/** The changes after the first signature, page by page. */
export function changesByPage(report: Pick<Report, "revisions" | "signatures">): Changes {
  const all = new Map<string, Change>();
  for (const { revision, what } of report.revisions) for (const r of what) all.set(key(revision, r), { revision, allowed: true, what: r });
  // One signature may allow what another forbids. The list of a revision may be cut, but never its forbidden changes.
  for (const allowed of [true, false]) {
    for (const s of report.signatures) for (const later of s.later) if (later.allowed === allowed) for (const r of later.what) all.set(key(later.revision, r), { revision: later.revision, allowed, what: r });
  }
  const pages = new Map<number, PageChanges>(), technical: Change[] = [];
  const on = (page: number) => pages.get(page) ?? pages.set(page, { page, changes: [], added: [], filled: [] }).get(page)!;
  const denied = new Set([...all.values()].flatMap((c) => (c.allowed ? [] : [fieldOf(c.what)])));
  const filled = new Set<string>();
  for (const { revision, filled: fields } of report.revisions) {
    for (const { field, page } of fields) {
      if (denied.has(field)) continue;
      filled.add(field);
      const initials = report.signatures.findIndex((s) => s.field !== "" && s.revision === revision && field.startsWith(`${s.field}-Mark-`));
      on(page).filled.push({ field, revision, initials: initials < 0 ? undefined : initials });
    }
  }
  for (const c of all.values()) {
    if (c.allowed && filling.includes(c.what.code) && (filled.has(fieldOf(c.what)) || denied.has(fieldOf(c.what)))) continue; // the field says it
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

/** The field that a change is about: named, or quoted as its place. */
const fieldOf = (r: Reason) => r.args.field || (r.args.where ?? "").replace(/^"(.*)"$/, "$1");

/** How many changes of each kind are allowed. */
export interface Allowed {
  initials: number;
  /** Whose initials. */
  people: number;
  signatures: number;
  stamps: number;
  timestamps: number;
  fields: number;
  other: number;
}

/** Counts the allowed changes of some pages. */
export function countAllowed(pages: PageChanges[], signatures: Report["signatures"]): Allowed {
  const filled = pages.flatMap((p) => p.filled), initials = filled.flatMap((f) => f.initials ?? []);
  const kinds = pages.flatMap((p) => p.added).map((n) => signatures[n]!.kind);
  const stamps = kinds.filter((k) => k === "stamp").length, timestamps = kinds.filter((k) => k === "timestamp").length;
  return {
    initials: initials.length, people: new Set(initials).size, signatures: kinds.length - stamps - timestamps, stamps, timestamps,
    fields: filled.length - initials.length, other: pages.flatMap((p) => p.changes).filter((c) => c.allowed).length,
  };
}

/** Whether something was changed that must not be, and the report does not say on which page. */
export const unlocated = (pages: PageChanges[]) => pages.some((p) => p.page === 0 && p.changes.some((c) => !c.allowed));

/**
 * How many of the file's first bytes are its state at the first signature; undefined if nothing follows it, or if that
 * state is not what was signed.
 */
export function asSigned(report: Pick<Report, "signatures">): number | undefined {
  const first = report.signatures.find((s) => s.covers.whole && !["HASH_FAILURE", "SIG_CRYPTO_FAILURE"].includes(s.sub_indication) && s.integrity !== "cannot be judged");
  return first && !first.covers.all ? first.covers.length : undefined;
}
