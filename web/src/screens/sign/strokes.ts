import type { PointGroup } from "signature_pad";

/** Strokes drawn on a wider area, made smaller so that nothing of them is cut off; a copy, for the pad writes on in its own. */
export function fitted(strokes: PointGroup[], width: number): PointGroup[] {
  const right = Math.max(0, ...strokes.flatMap((s) => s.points.map((p) => p.x + s.maxWidth)));
  const scale = right > width ? width / right : 1;
  return strokes.map((s) => ({ ...s, points: s.points.map((p) => ({ ...p, x: p.x * scale, y: p.y * scale })) }));
}
