/** What the address of the screen says. */
export interface ManySearch {
  /** The documents, by their numbers with commas between them; undefined: all that wait for the caller. */
  ids?: string | undefined;
  /** The page of the list of documents that wait, from 1. */
  page: number;
  /** The document that is read now. */
  read?: number | undefined;
}

/** How many documents one consent may cover. */
export const most = 100;

/** Reads the valid parameters of the address. The router turns a single number into a number. */
export function readMany(s: Record<string, unknown>): ManySearch {
  const page = Number(s.page), read = Number(s.read);
  const ids = typeof s.ids === "string" || typeof s.ids === "number" ? idsOf(String(s.ids)) : [];
  return { ids: ids.length > 0 ? ids.join(",") : undefined, page: Number.isInteger(page) && page > 0 ? page : 1, read: Number.isInteger(read) && read > 0 ? read : undefined };
}

/** The numbers in a list, each once, at most as many as one consent may cover. */
export function idsOf(list: string): number[] {
  const numbers = list.split(",").map(Number).filter((n) => Number.isSafeInteger(n) && n > 0);
  return [...new Set(numbers)].slice(0, most);
}

/** The document to show after one: the next that is left behind it in the list, else the first that is left. */
export function following(all: number[], left: (id: number) => boolean, after: number): number | undefined {
  const at = all.indexOf(after);
  return all.slice(at + 1).find(left) ?? all.slice(0, Math.max(at, 0)).find(left);
}
