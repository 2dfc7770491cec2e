import { useCallback, useMemo, useRef, useState } from "react";

import type { Placement } from "../../api/documents";

/** Identifies a box within its document. */
export const boxKey = (b: Placement): string => [b.user_id, b.type, b.page, b.box.llx, b.box.lly].join(" ");

/** The boxes in reading order: by page, from top to bottom, from left to right. */
export const inReadingOrder = (boxes: Placement[]): Placement[] =>
  [...boxes].sort((a, b) => a.page - b.page || b.box.ury - a.box.ury || a.box.llx - b.box.llx);

/** The next box to show: the first that was not shown yet. After all were shown, the one after the last. */
export function nextBox(order: Placement[], shown: ReadonlySet<string>, last: string | undefined): Placement | undefined {
  const from = order.findIndex((b) => boxKey(b) === last) + 1;
  const around = [...order.slice(from), ...order.slice(0, from)];
  return around.find((b) => !shown.has(boxKey(b))) ?? around[0];
}

/** Tour leads a signer from one of their boxes to the next. */
export interface Tour {
  /** Scrolls to the next box. */
  next: () => void;
  /** The box that was scrolled to last: its number, from 1, and its page. */
  at: { number: number; page: number } | undefined;
  count: number;
  /** Records that a box was visible. */
  onShown: (key: string) => void;
}

export function useTour(boxes: Placement[]): Tour {
  const order = useMemo(() => inReadingOrder(boxes), [boxes]);
  const shown = useRef(new Set<string>());
  const [last, setLast] = useState<string>();
  const onShown = useCallback((key: string) => void shown.current.add(key), []);
  const next = () => {
    const box = nextBox(order, shown.current, last);
    if (!box) return;
    const key = boxKey(box);
    shown.current.add(key);
    setLast(key);
    document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.scrollIntoView({ block: "center", inline: "center" });
  };
  const index = order.findIndex((b) => boxKey(b) === last);
  return { next, at: index < 0 ? undefined : { number: index + 1, page: order[index]!.page }, count: order.length, onShown };
}
