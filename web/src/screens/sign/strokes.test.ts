import type { PointGroup } from "signature_pad";
import { expect, test } from "vitest";

import { fitted } from "./strokes";

const stroke = (...points: [number, number][]): PointGroup => ({
  penColor: "#000", dotSize: 0, minWidth: 1, maxWidth: 2, velocityFilterWeight: 0.7, compositeOperation: "source-over",
  points: points.map(([x, y]) => ({ x, y, pressure: 0.5, time: 0 })),
});
const places = (all: PointGroup[]) => all.map((s) => s.points.map((p) => [p.x, p.y]));

test("strokes that fit stay where they are, and are not those of the pad", () => {
  const drawn = [stroke([10, 20], [98, 40])];
  const made = fitted(drawn, 100);
  expect(places(made)).toEqual([[[10, 20], [98, 40]]]);
  made[0]!.points[0]!.x = 0;
  expect(drawn[0]!.points[0]!.x).toBe(10);
  expect(fitted([], 100)).toEqual([]);
});

test("strokes of a wider area keep their shape and end at the rim", () => {
  expect(places(fitted([stroke([0, 50], [198, 100]), stroke([100, 10])], 100))).toEqual([[[0, 25], [99, 50]], [[50, 5]]]);
});
