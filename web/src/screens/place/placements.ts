import type { Placement } from "../../api/documents";
import { fitCopy, free, fromCorners, toCorners, type Box, type Kind, type Size } from "./geometry";

/** One box on a page. The key is local: the service identifies boxes by their order. */
export interface Placed {
  key: string;
  page: number;
  kind: Kind;
  person: string;
  box: Box;
}

/** What the service stores of a box. */
export type Placing = Pick<Placement, "page" | "type" | "user_id" | "box">;

export const fromService = (all: Placing[]): Placed[] =>
  all.map((p, i) => ({ key: `b${i}`, page: p.page, kind: p.type, person: p.user_id, box: fromCorners(p.box) }));

export const toService = (all: Placed[]): Placing[] =>
  all.map((p) => ({ page: p.page, type: p.kind, user_id: p.person, box: { ...toCorners(p.box) } }));

/** The boxes by their pages. */
export function groupByPage(all: Placed[]): Map<number, Placed[]> {
  const pages = new Map<number, Placed[]>();
  for (const p of all) pages.set(p.page, [...(pages.get(p.page) ?? []), p]);
  return pages;
}

export const changeOne = (all: Placed[], key: string, to: Partial<Placed>): Placed[] => all.map((p) => (p.key === key ? { ...p, ...to } : p));

/** Whether the service stores the same for both, in the same order. Both it and this app round to hundredths of a point. */
export function samePlacings(a: Placing[], b: Placing[]): boolean {
  const near = (x: number, y: number) => Math.abs(x - y) < 0.02;
  return a.length === b.length && a.every((p, i) => {
    const q = b[i]!;
    return p.page === q.page && p.type === q.type && p.user_id === q.user_id
      && near(p.box.llx, q.box.llx) && near(p.box.lly, q.box.lly) && near(p.box.urx, q.box.urx) && near(p.box.ury, q.box.ury);
  });
}

/**
 * Copies a box to the same place of other pages, moved or scaled where it would leave the page. Pages that have an equal box are left
 * out. Keys of copies are numbered from firstKey. Moved has the pages on which the copy is at another place or of another size.
 */
export function copyTo(all: Placed[], one: Placed, pages: { page: number; size: Size }[], firstKey: number): { placed: Placed[]; moved: number[] } {
  const copies = pages
    .map(({ page, size }, i) => ({ ...one, key: `b${firstKey + i}`, page, box: fitCopy(one.box, one.kind, size) }))
    .filter((c) => !all.some((p) => p.page === c.page && p.kind === c.kind && p.person === c.person && p.box.x === c.box.x && p.box.y === c.box.y));
  const { x, y, w, h } = one.box;
  return { placed: [...all, ...copies], moved: copies.filter((c) => c.box.x !== x || c.box.y !== y || c.box.w !== w || c.box.h !== h).map((c) => c.page) };
}

/** A page on which boxes are placed for several people. */
export interface Target {
  page: number;
  size: Size;
  /** What they should not cover. */
  text: Box[];
}

/** How near to the edges of a page initials are placed: below the text of most contracts. */
const initialsMargin = 18;

/** A box of a kind for each person on each page, where it covers no other box and no text. A person who has one on a page does not get a second one. */
export function placeForEach(all: Placed[], kind: "sign" | "paraf", people: string[], targets: Target[]): Omit<Placed, "key">[] {
  return targets.flatMap(({ page, size, text }) => {
    const there = all.filter((p) => p.page === page), taken = [...there.map((p) => p.box), ...text];
    return people.filter((person) => !there.some((p) => p.kind === kind && p.person === person)).map((person) => {
      const box = free(kind, size, taken, kind === "paraf" ? initialsMargin : undefined);
      taken.push(box);
      return { page, kind, person, box };
    });
  });
}

/** Parses "1-3, 5" as pages of a document with that many, in order and once each; undefined if it is malformed. */
export function readPages(text: string, total: number): number[] | undefined {
  const pages = new Set<number>();
  for (const part of text.split(/[,;]/)) {
    const range = /^\s*(\d+)\s*(?:[-–]\s*(\d+)\s*)?$/.exec(part);
    if (!range) return undefined;
    const from = Number(range[1]), to = Number(range[2] ?? range[1]);
    if (from < 1 || to > total || from > to) return undefined;
    for (let p = from; p <= to; p++) pages.add(p);
  }
  return [...pages].sort((a, b) => a - b);
}
