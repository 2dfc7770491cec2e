import type { PointGroup } from "signature_pad";

/** Scales strokes that were drawn on a wider area, so that nothing is cut off. It returns a copy, because the pad changes its own. */
export function fitted(strokes: PointGroup[], width: number): PointGroup[] {
  const right = Math.max(0, ...strokes.flatMap((s) => s.points.map((p) => p.x + s.maxWidth)));
  const scale = right > width ? width / right : 1;
  return strokes.map((s) => ({ ...s, points: s.points.map((p) => ({ ...p, x: p.x * scale, y: p.y * scale })) }));
}
