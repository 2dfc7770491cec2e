import type { PDFDocumentProxy, PDFPageProxy } from "./engine";

/** An area of a page: points, origin at the upper left of the page as displayed. */
export interface Area {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Side of the squares by which two pictures are compared, in pixels, and the largest gap between two differing squares of one area. */
const cell = 6, gap = 2;
/** Width of the pictures that are compared, in pixels. */
const wide = 900;
/** Colours may differ by this much, of 765: antialiased edges do. */
const tolerance = 60;
/** More areas than these are reported as one. */
const most = 12;

/** Where two pictures of the same size differ: boxes in pixels. */
export function regions(a: Uint8ClampedArray, b: Uint8ClampedArray, width: number, height: number): Area[] {
  const columns = Math.ceil(width / cell), rows = Math.ceil(height / cell);
  const differs = new Uint8Array(columns * rows);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i += 4) {
      const d = Math.abs(a[i]! - b[i]!) + Math.abs(a[i + 1]! - b[i + 1]!) + Math.abs(a[i + 2]! - b[i + 2]!);
      if (d > tolerance) differs[Math.floor(y / cell) * columns + Math.floor(x / cell)] = 1;
    }
  }
  const found: Area[] = [];
  for (let start = 0; start < differs.length; start++) {
    if (!differs[start]) continue;
    let left = columns, right = 0, top = rows, bottom = 0;
    const todo = [start];
    differs[start] = 0;
    while (todo.length > 0) {
      const at = todo.pop()!, cx = at % columns, cy = Math.floor(at / columns);
      left = Math.min(left, cx);
      right = Math.max(right, cx);
      top = Math.min(top, cy);
      bottom = Math.max(bottom, cy);
      for (let y = Math.max(0, cy - gap); y <= Math.min(rows - 1, cy + gap); y++) {
        for (let x = Math.max(0, cx - gap); x <= Math.min(columns - 1, cx + gap); x++) {
          if (!differs[y * columns + x]) continue;
          differs[y * columns + x] = 0;
          todo.push(y * columns + x);
        }
      }
    }
    found.push({ x: left * cell, y: top * cell, w: Math.min(width, (right + 1) * cell) - left * cell, h: Math.min(height, (bottom + 1) * cell) - top * cell });
  }
  const apart = merged(found);
  return apart.length > most ? [around(apart)] : apart;
}

/** Merges areas that overlap. */
function merged(all: Area[]): Area[] {
  const meet = (a: Area, b: Area) => a.x <= b.x + b.w && b.x <= a.x + a.w && a.y <= b.y + b.h && b.y <= a.y + a.h;
  const apart: Area[] = [];
  for (let area of all) {
    for (let i = 0; i < apart.length; ) {
      if (meet(area, apart[i]!)) {
        area = around([area, ...apart.splice(i, 1)]);
        i = 0; // the area has grown, and may overlap earlier ones
      } else i++;
    }
    apart.push(area);
  }
  return apart;
}

function around(all: Area[]): Area {
  const x = Math.min(...all.map((a) => a.x)), y = Math.min(...all.map((a) => a.y));
  return { x, y, w: Math.max(...all.map((a) => a.x + a.w)) - x, h: Math.max(...all.map((a) => a.y + a.h)) - y };
}

/** Where a page looks different in two files; undefined if one of them lacks it or shows it in another size. */
export function differences(before: PDFDocumentProxy, after: PDFDocumentProxy, number: number): Promise<Area[] | undefined> {
  // One page at a time: each takes about 20 MB while it is drawn, and a report can request all of them at once.
  const mine = (turns.get(after) ?? Promise.resolve()).then(() => compared(before, after, number));
  turns.set(after, mine.catch(() => undefined));
  return mine;
}

/** By file: resolves when the last requested comparison is done. */
const turns = new WeakMap<PDFDocumentProxy, Promise<unknown>>();

async function compared(before: PDFDocumentProxy, after: PDFDocumentProxy, number: number): Promise<Area[] | undefined> {
  if (number > before.numPages || number > after.numPages) return undefined;
  const [one, two] = await Promise.all([before.getPage(number), after.getPage(number)]);
  const size = two.getViewport({ scale: 1 }), former = one.getViewport({ scale: 1 });
  if (Math.abs(size.width - former.width) > 0.5 || Math.abs(size.height - former.height) > 0.5) return undefined;
  const scale = wide / Math.max(size.width, size.height / 2);
  const [a, b] = [await drawn(one, scale), await drawn(two, scale)];
  return regions(a.data, b.data, a.width, a.height).map(({ x, y, w, h }) => ({ x: x / scale, y: y / scale, w: w / scale, h: h / scale }));
}

/** Which of the first pages differ between two files. */
export async function pagesThatDiffer(before: PDFDocumentProxy, after: PDFDocumentProxy, limit: number): Promise<number[]> {
  const found: number[] = [];
  for (let n = 1; n <= Math.min(limit, Math.max(before.numPages, after.numPages)); n++) {
    const areas = await differences(before, after, n);
    if (!areas || areas.length > 0) found.push(n);
  }
  return found;
}

async function drawn(page: PDFPageProxy, scale: number): Promise<ImageData> {
  const viewport = page.getViewport({ scale }), canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(viewport.width));
  canvas.height = Math.max(1, Math.floor(viewport.height));
  try {
    await page.render({ canvas, viewport }).promise;
    return canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
  } finally {
    canvas.width = canvas.height = 0; // frees the memory at once
    page.cleanup(); // frees the page's images, of which there may be many; not while it is drawn elsewhere
  }
}

/** Where the fields of a page are, by name, without fields that show nothing. */
export async function fieldsOf(page: PDFPageProxy): Promise<(Area & { name: string })[]> {
  const view = page.getViewport({ scale: 1 });
  const all = (await page.getAnnotations()) as { fieldName?: string; rect: number[] }[];
  return all.flatMap(({ fieldName, rect }) => {
    if (!fieldName) return [];
    const [x1, y1, x2, y2] = view.convertToViewportRectangle(rect) as [number, number, number, number];
    const box = { name: fieldName, x: Math.min(x1, x2), y: Math.min(y1, y2), w: Math.abs(x2 - x1), h: Math.abs(y2 - y1) };
    return box.w > 0 && box.h > 0 ? [box] : [];
  });
}
