import { expect, test } from "vitest";

import { labelColours } from "./colours";
import { contrast, standsOut, textOn } from "./contrast";

test("contrast is that of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  expect(contrast("#ffffff", "#ffffff")).toBe(1);
});

test("text on any colour has a contrast of at least 4.5", () => {
  for (let r = 0; r < 256; r += 15) for (let g = 0; g < 256; g += 15) for (let b = 0; b < 256; b += 15) {
    const colour = `#${[r, g, b].map((v) => v.toString(16).padStart(2, "0")).join("")}`;
    expect(contrast(colour, textOn(colour)), colour).toBeGreaterThanOrEqual(4.5);
  }
});

test("a pale colour is no surface on a white page, and a dark one none on a dark page", () => {
  expect([standsOut("#ffe8a0", "light"), standsOut("#ffe8a0", "dark"), standsOut("#101040", "light"), standsOut("#101040", "dark"), standsOut("#0b6e5f", "light")]).toEqual([false, true, true, false, true]);
});

test("labels are readable in white, and stand out from a light page and from a dark one", () => {
  for (const [name, colour] of Object.entries(labelColours)) {
    expect(contrast(colour, "#ffffff"), name).toBeGreaterThanOrEqual(4.5);
    expect([standsOut(colour, "light"), standsOut(colour, "dark")], name).toEqual([true, true]);
  }
});
