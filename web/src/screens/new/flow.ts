export const steps = ["file", "people", "place", "review"] as const;
export type NewStep = (typeof steps)[number];

export interface NewSearch {
  document: number | undefined;
  step: NewStep;
}

/** Reads what of the address makes sense: without a document there is nothing but its file to choose. */
export function readNew(s: Record<string, unknown>): NewSearch {
  const id = Number(s.document);
  const document = Number.isInteger(id) && id > 0 ? id : undefined;
  return { document, step: document === undefined ? "file" : (steps.find((x) => x === s.step) ?? "people") };
}
