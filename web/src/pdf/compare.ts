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

/** The squares of two pictures of the same size that differ. */
class Cells {
  private readonly columns: number;
  private readonly rows: number;
  private readonly differs: Uint8Array;

  constructor(a: Uint8ClampedArray, b: Uint8ClampedArray, private readonly width: number, private readonly height: number) {
    this.columns = Math.ceil(width / cell);
    this.rows = Math.ceil(height / cell);
    this.differs = new Uint8Array(this.columns * this.rows);
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i += 4) {
        const d = Math.abs(a[i]! - b[i]!) + Math.abs(a[i + 1]! - b[i + 1]!) + Math.abs(a[i + 2]! - b[i + 2]!);
        if (d > tolerance) this.differs[Math.floor(y / cell) * this.columns + Math.floor(x / cell)] = 1;
      }
    }
  }

  /** Removes the squares within an area, and reports whether there were any. */
  take({ x, y, w, h }: Area): boolean {
    let any = false;
    for (let row = Math.max(0, Math.floor(y / cell)); row < Math.min(this.rows, Math.ceil((y + h) / cell)); row++) {
      for (let column = Math.max(0, Math.floor(x / cell)); column < Math.min(this.columns, Math.ceil((x + w) / cell)); column++) {
        any ||= this.differs[row * this.columns + column] === 1;
        this.differs[row * this.columns + column] = 0;
      }
    }
    return any;
  }

  /** Removes all squares and returns the areas they make. */
  takeAreas(): Area[] {
    const { columns, rows, differs, width, height } = this, found: Area[] = [];
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
}

/** Where two pages look different. */
export interface Differences {
  /** The given fields within which something differs. */
  fields: Area[];
  /** What differs outside of them. */
  outside: Area[];
}

/** Where two pictures of the same size differ, within and outside of some fields: boxes in pixels. */
export function regions(a: Uint8ClampedArray, b: Uint8ClampedArray, width: number, height: number, fields: Area[] = []): Differences {
  const cells = new Cells(a, b, width, height);
  return { fields: fields.filter((f) => cells.take(f)), outside: cells.takeAreas() };
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

/** Where a page looks different in two files, within and outside of the named fields; undefined if one file lacks it or shows it in another size. */
export function differences(before: PDFDocumentProxy, after: PDFDocumentProxy, number: number, names: string[] = []): Promise<Differences | undefined> {
  // One page at a time: each takes about 20 MB while it is drawn, and a report can request all of them at once.
  const mine = (turns.get(after) ?? Promise.resolve()).then(() => compared(before, after, number, names));
  turns.set(after, mine.catch(() => undefined));
  return mine;
}

/** By file: resolves when the last requested comparison is done. */
const turns = new WeakMap<PDFDocumentProxy, Promise<unknown>>();

/** Points by which what a field shows may stand over its box: strokes and edges do. */
const margin = 3;

async function compared(before: PDFDocumentProxy, after: PDFDocumentProxy, number: number, names: string[]): Promise<Differences | undefined> {
  if (number > before.numPages || number > after.numPages) return undefined;
  const [one, two] = await Promise.all([before.getPage(number), after.getPage(number)]);
  const size = two.getViewport({ scale: 1 }), former = one.getViewport({ scale: 1 });
  if (Math.abs(size.width - former.width) > 0.5 || Math.abs(size.height - former.height) > 0.5) return undefined;
  const scale = wide / Math.max(size.width, size.height / 2);
  const fields = names.length > 0 ? (await fieldsOf(two)).filter((f) => names.includes(f.name)) : [];
  const [a, b] = [await drawn(one, scale), await drawn(two, scale)];
  const found = regions(a.data, b.data, a.width, a.height, fields.map(({ x, y, w, h }) => ({ x: (x - margin) * scale, y: (y - margin) * scale, w: (w + 2 * margin) * scale, h: (h + 2 * margin) * scale })));
  const inPoints = ({ x, y, w, h }: Area): Area => ({ x: x / scale, y: y / scale, w: w / scale, h: h / scale });
  return { fields: found.fields.map(inPoints), outside: found.outside.map(inPoints) };
}

/** Which of the first pages differ between two files, outside of the fields that are named for a page. */
export async function pagesThatDiffer(before: PDFDocumentProxy, after: PDFDocumentProxy, limit: number, names: (page: number) => string[]): Promise<number[]> {
  const found: number[] = [];
  for (let n = 1; n <= Math.min(limit, Math.max(before.numPages, after.numPages)); n++) {
    const differ = await differences(before, after, n, names(n));
    if (!differ || differ.outside.length > 0) found.push(n);
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
async function fieldsOf(page: PDFPageProxy): Promise<(Area & { name: string })[]> {
  const view = page.getViewport({ scale: 1 });
  const all = (await page.getAnnotations()) as { fieldName?: string; rect: number[] }[];
  return all.flatMap(({ fieldName, rect }) => {
    if (!fieldName) return [];
    const [x1, y1, x2, y2] = view.convertToViewportRectangle(rect) as [number, number, number, number];
    const box = { name: fieldName, x: Math.min(x1, x2), y: Math.min(y1, y2), w: Math.abs(x2 - x1), h: Math.abs(y2 - y1) };
    return box.w > 0 && box.h > 0 ? [box] : [];
  });
}
