import { useEffect, useState, type MouseEvent } from "react";

import { linesOf, type PDFPageProxy } from "../../pdf/engine";
import { PlacedBox } from "./box";
import { pointOn, useDesk } from "./desk";
import type { Size } from "./geometry";
import classes from "./place.module.css";
import type { Guide } from "./snap";
import { readable, textBoxes, type PageText } from "./warn";

interface Props {
  number: number;
  size: Size;
  /** Pixels per point. */
  scale: number;
  page: PDFPageProxy | undefined;
}

const none: PageText = { lines: [], legible: [] };

/** Sheet is what stands over one page: its boxes, and the lines they snap to while they are dragged. */
export function Sheet({ number, size, scale, page }: Props) {
  const desk = useDesk();
  const [text, setText] = useState<PageText>(none);
  const [guides, setGuides] = useState<Guide[]>([]);
  const { learn, read } = desk;
  useEffect(() => learn(number, size), [learn, number, size]);
  const mine = desk.placed.filter((p) => p.page === number);
  const wanted = mine.length > 0 || desk.armed !== undefined;
  useEffect(() => {
    if (!page || !wanted) return;
    let gone = false;
    linesOf(page).then((lines) => {
      if (gone) return;
      const legible = textBoxes(readable(lines), size);
      setText({ lines: textBoxes(lines, size), legible });
      read(number, legible);
    }).catch(() => undefined);
    return () => { gone = true; };
  }, [page, wanted, size, number, read]);
  const click = (e: MouseEvent<HTMLDivElement>) => {
    if (e.target !== e.currentTarget) return;
    if (!desk.armed) return desk.select(undefined);
    const { x, y } = pointOn(e.currentTarget, size, e.clientX, e.clientY);
    desk.put(desk.armed, number, size, x, y);
  };
  return (
    <div className={classes.sheet} data-armed={desk.armed !== undefined} onClick={click}>
      {guides.map((g) => (
        <div key={g.axis} aria-hidden className={classes.guide} style={g.axis === "x" ? { left: g.at * scale, top: 0, bottom: 0, width: 0 } : { top: (size.height - g.at) * scale, left: 0, right: 0, height: 0 }} />
      ))}
      {mine.map((p) => <PlacedBox key={p.key} placed={p} size={size} scale={scale} text={text} guide={setGuides} />)}
    </div>
  );
}
