// All lengths are in points of 1/72 inch, on the page as displayed. The origin is its lower left corner, as in the
// service's interface. Only drawing turns y over.

export type Kind = "sign" | "paraf" | "emet";

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Corners {
  llx: number;
  lly: number;
  urx: number;
  ury: number;
}

/** The side lengths of a duty stamp that the e-meterai issuer accepts. */
export const stampMin = 40, stampMax = 200;

/** Anything smaller cannot be read or grabbed. */
export const leastWidth = 20, leastHeight = 12;

const usual: Record<Kind, { w: number; h: number }> = { sign: { w: 150, h: 60 }, paraf: { w: 60, h: 40 }, emet: { w: 80, h: 80 } };

const round = (v: number) => Math.round(v * 100) / 100;
const between = (v: number, low: number, high: number) => Math.max(low, Math.min(v, Math.max(low, high)));

export const toCorners = (b: Box): Corners => ({ llx: round(b.x), lly: round(b.y), urx: round(b.x + b.w), ury: round(b.y + b.h) });
export const fromCorners = (c: Corners): Box => ({ x: c.llx, y: c.lly, w: round(c.urx - c.llx), h: round(c.ury - c.lly) });

/** Converts a box between an origin at the upper left and one at the lower left. */
export const flip = (b: Box, page: Size): Box => ({ ...b, y: page.height - b.y - b.h });

export const millimetres = (points: number) => (points * 25.4) / 72;

/** Gives a box a size that is valid for its kind, and moves it onto the page. */
export function fit(b: Box, kind: Kind, page: Size): Box {
  let w = between(b.w, leastWidth, page.width), h = between(b.h, leastHeight, page.height);
  if (kind === "emet") w = h = between(Math.min(b.w, b.h), stampMin, Math.min(stampMax, page.width, page.height));
  return { x: round(between(b.x, 0, page.width - w)), y: round(between(b.y, 0, page.height - h)), w: round(w), h: round(h) };
}

/** The usual box of a kind around a point. */
export function around(kind: Kind, x: number, y: number, page: Size): Box {
  const { w, h } = usual[kind];
  return fit({ x: x - w / 2, y: y - h / 2, w, h }, kind, page);
}

export const move = (b: Box, dx: number, dy: number, kind: Kind, page: Size): Box => fit({ ...b, x: b.x + dx, y: b.y + dy }, kind, page);

/** A corner to drag: north is up. */
export type Handle = "nw" | "ne" | "sw" | "se";

/** Drags a corner; the opposite one stays. A stamp stays square. */
export function pull(b: Box, handle: Handle, dx: number, dy: number, kind: Kind, page: Size): Box {
  const west = handle.endsWith("w"), south = handle.startsWith("s");
  const roomX = west ? b.x + b.w : page.width - b.x, roomY = south ? b.y + b.h : page.height - b.y;
  let w = between(b.w + (west ? -dx : dx), leastWidth, roomX), h = between(b.h + (south ? -dy : dy), leastHeight, roomY);
  if (kind === "emet") {
    const wanted = Math.abs(w - b.w) > Math.abs(h - b.h) ? w : h;
    w = h = between(wanted, stampMin, Math.min(stampMax, roomX, roomY));
  }
  return { x: round(west ? b.x + b.w - w : b.x), y: round(south ? b.y + b.h - h : b.y), w: round(w), h: round(h) };
}

export const overlap = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Where a copy of a box fits: to its right, its left, below or above; otherwise slightly lower, half over it. */
export function beside(b: Box, kind: Kind, page: Size, taken: Box[]): Box {
  const gap = 12;
  for (const [dx, dy] of [[b.w + gap, 0], [-b.w - gap, 0], [0, -b.h - gap], [0, b.h + gap]] as const) {
    const to = move(b, dx, dy, kind, page);
    if (!taken.some((o) => overlap(to, o))) return to;
  }
  return move(b, gap, -gap, kind, page);
}

/**
 * Puts a copy of a box onto another page: at the same place, if it lies within that page; otherwise it is moved there, and scaled
 * down with its proportions if the page is smaller than the box.
 */
export function fitCopy(b: Box, kind: Kind, page: Size): Box {
  const scale = Math.min(1, page.width / b.w, page.height / b.h);
  return fit({ ...b, w: b.w * scale, h: b.h * scale }, kind, page);
}

/** Where a box of the kind fits: first at the lower right, where contracts are signed, then further left and up. */
export function free(kind: Kind, page: Size, taken: Box[], least = 54): Box {
  const { w, h } = usual[kind];
  const margin = Math.min(least, page.width / 10);
  for (let y = margin; y + h <= page.height - margin; y += 12) {
    for (let x = page.width - margin - w; x >= margin; x -= 12) {
      const box = fit({ x, y, w, h }, kind, page);
      if (!taken.some((o) => overlap(box, o))) return box;
    }
  }
  return around(kind, page.width / 2, page.height / 2, page);
}
