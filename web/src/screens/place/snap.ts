import type { Box, Size } from "./geometry";

/** A line that a box snapped to, across the whole page: x is from the left, y from the bottom. */
export interface Guide {
  axis: "x" | "y";
  at: number;
}

export interface Snapped {
  box: Box;
  guides: Guide[];
}

interface Pull {
  shift: number;
  at: number;
}

/** Finds the smallest shift that brings one of the edges onto one of the lines. */
function nearest(edges: number[], lines: number[], reach: number): Pull | undefined {
  let best: Pull | undefined;
  for (const edge of edges) {
    for (const at of lines) {
      const shift = at - edge;
      if (Math.abs(shift) <= reach && (!best || Math.abs(shift) < Math.abs(best.shift))) best = { shift, at };
    }
  }
  return best;
}

/** Moves a box, by at most reach, so that its edges or middle align with other boxes, lines of text, or the middle of the page. */
export function snap(box: Box, others: Box[], text: Box[], page: Size, reach: number): Snapped {
  const xs = [page.width / 2, ...others.flatMap((o) => [o.x, o.x + o.w / 2, o.x + o.w]), ...text.flatMap((l) => [l.x, l.x + l.w])];
  const ys = [...others.flatMap((o) => [o.y, o.y + o.h / 2, o.y + o.h]), ...text.flatMap((l) => [l.y, l.y + l.h])];
  const x = nearest([box.x, box.x + box.w / 2, box.x + box.w], xs, reach);
  const y = nearest([box.y, box.y + box.h / 2, box.y + box.h], ys, reach);
  const guides: Guide[] = [];
  if (x) guides.push({ axis: "x", at: x.at });
  if (y) guides.push({ axis: "y", at: y.at });
  return { box: { ...box, x: box.x + (x?.shift ?? 0), y: box.y + (y?.shift ?? 0) }, guides };
}
