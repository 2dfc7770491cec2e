import type { Placement } from "../../api/documents";
import { fit, fromCorners, toCorners, type Box, type Kind, type Size } from "./geometry";

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

export const changeOne = (all: Placed[], key: string, to: Partial<Placed>): Placed[] => all.map((p) => (p.key === key ? { ...p, ...to } : p));

/**
 * Copies a box to the same place of other pages, as far as their size allows. Pages that have an equal box are left out. Keys of
 * copies are numbered from firstKey.
 */
export function copyTo(all: Placed[], one: Placed, pages: { page: number; size: Size }[], firstKey: number): Placed[] {
  const copies = pages
    .map(({ page, size }, i) => ({ ...one, key: `b${firstKey + i}`, page, box: fit(one.box, one.kind, size) }))
    .filter((c) => !all.some((p) => p.page === c.page && p.kind === c.kind && p.person === c.person && p.box.x === c.box.x && p.box.y === c.box.y));
  return [...all, ...copies];
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
