import type { Placement } from "../../api/documents";
import { fit, fromCorners, toCorners, type Box, type Kind, type Size } from "./geometry";

/** One box on a page. The key is local: the service knows boxes by their order alone. */
export interface Placed {
  key: string;
  page: number;
  kind: Kind;
  person: string;
  box: Box;
}

let made = 0;
export const newKey = () => `b${++made}`;

/** As much of a box as the service is told. */
export type Placing = Pick<Placement, "page" | "type" | "user_id" | "box">;

export const fromService = (all: Placing[]): Placed[] =>
  all.map((p) => ({ key: newKey(), page: p.page, kind: p.type, person: p.user_id, box: fromCorners(p.box) }));

export const toService = (all: Placed[]): Placing[] =>
  all.map((p) => ({ page: p.page, type: p.kind, user_id: p.person, box: { ...toCorners(p.box) } }));

export const change = (all: Placed[], key: string, to: Partial<Placed>): Placed[] => all.map((p) => (p.key === key ? { ...p, ...to } : p));

/** Copies a box to pages at the same place, as far as their size allows; where the like stands already, it is left. */
export function copyTo(all: Placed[], one: Placed, pages: { page: number; size: Size }[]): Placed[] {
  const copies = pages
    .map(({ page, size }) => ({ ...one, key: newKey(), page, box: fit(one.box, one.kind, size) }))
    .filter((c) => !all.some((p) => p.page === c.page && p.kind === c.kind && p.person === c.person && p.box.x === c.box.x && p.box.y === c.box.y));
  return [...all, ...copies];
}

/** Reads "1-3, 5" as pages of a document of so many, in order and once each; undefined where it makes no sense. */
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

/** What was, is, and was undone. */
export interface History {
  past: Placed[][];
  now: Placed[];
  future: Placed[][];
  /** Names the last change; changes of one name that follow each other are undone together. */
  name: string;
}

export type Step = { do: "change"; to: Placed[]; name?: string } | { do: "undo" } | { do: "redo" };

const kept = 100;

export function step(h: History, s: Step): History {
  switch (s.do) {
    case "change": {
      const name = s.name ?? "";
      if (name !== "" && name === h.name) return { ...h, now: s.to, future: [] };
      return { past: [...h.past, h.now].slice(-kept), now: s.to, future: [], name };
    }
    case "undo": {
      const last = h.past.at(-1);
      return last ? { past: h.past.slice(0, -1), now: last, future: [h.now, ...h.future], name: "" } : h;
    }
    case "redo": {
      const [next, ...rest] = h.future;
      return next ? { past: [...h.past, h.now], now: next, future: rest, name: "" } : h;
    }
  }
}
