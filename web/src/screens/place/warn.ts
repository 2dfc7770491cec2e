import type { TFunction } from "i18next";

import type { Line } from "../../pdf/engine";
import type { Editor } from "./context";
import { flip, overlap, type Box, type Size } from "./geometry";
import type { Placed } from "./placements";

/** A signature line, drawn as text: a box should cover it. */
const signatureLine = /^[\s_.\-–—…]+$/;

/** PageText has the boxes of the lines of text on a page: all that boxes snap to, and those that should stay visible. */
export interface PageText {
  lines: Box[];
  legible: Box[];
}

/** The boxes of lines of text, with the origin at the lower left. */
export const textBoxes = (lines: Line[], page: Size): Box[] => lines.map((l) => flip(l, page));

/** The lines that a box should not cover. */
export const readable = (lines: Line[]): Line[] => lines.filter((l) => !signatureLine.test(l.text));

export interface Overlaps {
  text: boolean;
  /** The box beneath it. */
  other: Placed | undefined;
}

export const overlaps = (one: Placed, all: Placed[], text: Box[]): Overlaps => ({
  text: text.some((l) => overlap(one.box, l)),
  other: all.find((p) => p.key !== one.key && p.page === one.page && overlap(p.box, one.box)),
});

/** The warnings of the service by box. A warning names its box by the index, as "signers[0]" or "placements[0]". */
export function warningsOf(all: Placed[], warnings: { field: string; msg: string }[]): Map<Placed, string> {
  const byBox = new Map<Placed, string>();
  for (const w of warnings) {
    const p = all[Number(/^(?:signers|placements)\[(\d+)\]/.exec(w.field)?.[1])];
    if (p) byBox.set(p, [byBox.get(p), w.msg].filter(Boolean).join(" "));
  }
  return byBox;
}

/** The problems of a box: what the service refuses, then what it warns of or, until it has answered, what is found here. */
export function describeProblems(t: TFunction, editor: Pick<Editor, "refused" | "warned">, p: Placed, over: Overlaps): string {
  const warning = editor.warned.get(p);
  return [editor.refused.get(p.key), ...(warning ? [warning] : [over.text && t("place.overText"), over.other && t("place.overBox")])].filter(Boolean).join(" ");
}
