import { expect, test } from "vitest";

import { differences, regions } from "./compare";
import type { PDFDocumentProxy } from "./engine";

const white = (w: number, h: number) => new Uint8ClampedArray(w * h * 4).fill(255);

/** Blackens one pixel. */
const dot = (p: Uint8ClampedArray, w: number, x: number, y: number) => p.fill(0, (y * w + x) * 4, (y * w + x) * 4 + 3);

test("two pictures that look alike differ nowhere", () => {
  const a = white(60, 40), b = white(60, 40);
  b[0] = 220; // an edge, antialiased differently
  expect(regions(a, b, 60, 40).outside).toEqual([]);
});

test("what stands close together is one area, and what stands apart another", () => {
  const a = white(100, 60), b = white(100, 60);
  dot(b, 100, 7, 7);
  dot(b, 100, 20, 8);
  dot(a, 100, 98, 58); // removed content is a change too
  expect(regions(a, b, 100, 60).outside).toEqual([
    { x: 6, y: 6, w: 18, h: 6 },
    { x: 96, y: 54, w: 4, h: 6 },
  ]);
});

test("very many areas are told as one", () => {
  const a = white(400, 400), b = white(400, 400);
  for (let i = 0; i < 16; i++) dot(b, 400, 3 + (i % 4) * 90, 3 + Math.floor(i / 4) * 90);
  expect(regions(a, b, 400, 400).outside).toEqual([{ x: 0, y: 0, w: 276, h: 276 }]);
});

test("an area within another is told with it", () => {
  const a = white(200, 200), b = white(200, 200);
  for (let i = 2; i < 198; i++) for (const [x, y] of [[i, 2], [i, 197], [2, i], [197, i]] as const) dot(b, 200, x, y);
  dot(b, 200, 100, 100);
  expect(regions(a, b, 200, 200).outside).toEqual([{ x: 0, y: 0, w: 198, h: 198 }]);
});

test("what differs within a field is told apart from what differs beside it, however close", () => {
  const a = white(200, 60), b = white(200, 60), initials = [{ x: 60, y: 12, w: 42, h: 24 }, { x: 108, y: 12, w: 42, h: 24 }], empty = { x: 150, y: 36, w: 24, h: 24 };
  for (const x of [70, 90, 115, 140]) dot(b, 200, x, 20);
  expect(regions(a, b, 200, 60, [...initials, empty])).toEqual({ fields: initials, outside: [] });
  dot(b, 200, 55, 20); // the text in front of them
  expect(regions(a, b, 200, 60, [...initials, empty])).toEqual({ fields: initials, outside: [{ x: 54, y: 18, w: 6, h: 6 }] });
});

test("pages are compared one at a time, also behind one that cannot be read", async () => {
  let busy = 0, most = 0;
  const file = (width: number, damaged = 0) => ({
    numPages: 9,
    getPage: async (n: number) => {
      most = Math.max(most, ++busy);
      await new Promise((on) => setTimeout(on));
      busy--;
      if (n === damaged) throw new Error("damaged");
      return { getViewport: () => ({ width, height: 100 }) };
    },
  }) as unknown as PDFDocumentProxy;
  const before = file(100), after = file(200, 1);
  const all = await Promise.allSettled([1, 2, 3, 4, 12].map((n) => differences(before, after, n)));
  expect(most).toBe(2); // the same page, in both files
  expect(all.map((r) => r.status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled", "fulfilled"]);
});
