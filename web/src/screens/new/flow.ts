export const steps = ["file", "people", "place", "review"] as const;
export type NewStep = (typeof steps)[number];

export interface NewSearch {
  document: number | undefined;
  step: NewStep;
  /** The index of the box that the placement begins with. */
  box?: number | undefined;
  /** The draft that another file will replace. */
  instead?: number | undefined;
}

/** Reads the valid parameters of the address. Without a document, only its file can be chosen. */
export function readNew(s: Record<string, unknown>): NewSearch {
  const document = idOf(s.document), instead = idOf(s.instead);
  if (document === undefined) return { document, step: "file", ...(instead === undefined ? {} : { instead }) };
  const box = s.box === undefined ? NaN : Number(s.box);
  return { document, step: steps.find((x) => x === s.step) ?? "people", ...(Number.isInteger(box) && box >= 0 ? { box } : {}) };
}

function idOf(v: unknown): number | undefined {
  const id = Number(v);
  return Number.isInteger(id) && id > 0 ? id : undefined;
}
