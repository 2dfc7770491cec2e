import { move, pull, type Box, type Kind, type Size } from "./geometry";

export interface Key {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
}

const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * The box after a key press: arrows move it by a point, with shift by ten; with alt or ctrl they resize it at its
 * upper right corner. Undefined for other keys.
 */
export function boxAfterKey(k: Key, box: Box, kind: Kind, page: Size): Box | undefined {
  const arrow = arrows[k.key];
  if (!arrow) return undefined;
  const step = k.shiftKey ? 10 : 1;
  const dx = arrow[0] * step, dy = arrow[1] * step;
  return k.altKey || k.ctrlKey ? pull(box, "ne", dx, dy, kind, page) : move(box, dx, dy, kind, page);
}
