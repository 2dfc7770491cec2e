export const steps = ["file", "people", "place", "review"] as const;
export type NewStep = (typeof steps)[number];

export interface NewSearch {
  document: number | undefined;
  step: NewStep;
  /** The draft whose place another file is to take. */
  instead?: number | undefined;
}

/** Reads what of the address makes sense: without a document there is nothing but its file to choose. */
export function readNew(s: Record<string, unknown>): NewSearch {
  const document = idOf(s.document), instead = idOf(s.instead);
  if (document === undefined) return { document, step: "file", ...(instead === undefined ? {} : { instead }) };
  return { document, step: steps.find((x) => x === s.step) ?? "people" };
}

function idOf(v: unknown): number | undefined {
  const id = Number(v);
  return Number.isInteger(id) && id > 0 ? id : undefined;
}
