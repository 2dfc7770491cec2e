import type { TFunction } from "i18next";

import type { Line } from "../../pdf/engine";
import type { Desk } from "./desk";
import { flip, overlap, type Box, type Size } from "./geometry";
import type { Placed } from "./model";

/** A line to sign on, drawn as text: standing over it is what is wanted. */
const rule = /^[\s_.\-–—…]+$/;

/** PageText is where a page has lines of text: all that boxes snap to, and those that had better be seen. */
export interface PageText {
  lines: Box[];
  legible: Box[];
}

/** Text as boxes of our origin. */
export const textBoxes = (lines: Line[], page: Size): Box[] => lines.map((l) => flip(l, page));

/** Text that a box had better not hide. */
export const readable = (lines: Line[]): Line[] => lines.filter((l) => !rule.test(l.text));

export interface Overlaps {
  text: boolean;
  /** The box beneath it. */
  other: Placed | undefined;
}

export const overlaps = (one: Placed, all: Placed[], text: Box[]): Overlaps => ({
  text: text.some((l) => overlap(one.box, l)),
  other: all.find((p) => p.key !== one.key && p.page === one.page && overlap(p.box, one.box)),
});

/** What the service warns of, by the box: a warning names it by its place, as "signers[0]" or "placements[0]". */
export function warningsOf(all: Placed[], warnings: { field: string; msg: string }[]): Map<Placed, string> {
  const said = new Map<Placed, string>();
  for (const w of warnings) {
    const p = all[Number(/^(?:signers|placements)\[(\d+)\]/.exec(w.field)?.[1])];
    if (p) said.set(p, [said.get(p), w.msg].filter(Boolean).join(" "));
  }
  return said;
}

/** What is to be said of a box: what the service refuses, then what it warns of or, until it has answered, what is seen here. */
export function troubleOf(t: TFunction, desk: Pick<Desk, "wrong" | "warned">, p: Placed, over: Overlaps): string {
  const warned = desk.warned.get(p);
  return [desk.wrong.get(p.key), ...(warned ? [warned] : [over.text && t("place.overText"), over.other && t("place.overBox")])].filter(Boolean).join(" ");
}
