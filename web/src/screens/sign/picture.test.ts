import { expect, test } from "vitest";

import { inked } from "./picture";

const blank = (w: number, h: number) => new Uint8ClampedArray(w * h * 4);

test("nothing drawn has no box", () => {
  expect(inked(blank(4, 3), 4, 3)).toBeNull();
});

test("the box goes round every dot that can be seen", () => {
  const p = blank(10, 8);
  for (const [x, y] of [[3, 2], [7, 5]]) p[(y! * 10 + x!) * 4 + 3] = 255;
  p[3] = 5; // too faint to see
  expect(inked(p, 10, 8)).toEqual({ x: 3, y: 2, w: 5, h: 4 });
});
