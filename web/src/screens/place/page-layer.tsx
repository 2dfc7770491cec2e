import { useEffect, useState, type MouseEvent } from "react";

import { linesOf, type PDFPageProxy } from "../../pdf/engine";
import { PlacedBox } from "./box";
import { pointOn, useEditor } from "./context";
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

const noText: PageText = { lines: [], legible: [] };

/** PageLayer shows the boxes of one page over it, and the lines they snap to while they are dragged. */
export function PageLayer({ number, size, scale, page }: Props) {
  const { state, dispatch } = useEditor();
  const [text, setText] = useState<PageText>(noText);
  const [guides, setGuides] = useState<Guide[]>([]);
  useEffect(() => {
    if (!page) return; // before it is read, its size is a guess
    const { width, height } = page.getViewport({ scale: 1 });
    dispatch({ type: "learnSize", page: number, size: { width, height } });
  }, [page, dispatch, number]);
  const mine = state.placed.filter((p) => p.page === number);
  const needsText = mine.length > 0 || state.armed !== undefined;
  useEffect(() => {
    if (!page || !needsText) return;
    let unmounted = false;
    linesOf(page).then((lines) => {
      if (unmounted) return;
      const legible = textBoxes(readable(lines), size);
      setText({ lines: textBoxes(lines, size), legible });
      dispatch({ type: "learnText", page: number, text: legible });
    }).catch(() => undefined);
    return () => { unmounted = true; };
  }, [page, needsText, size, number, dispatch]);
  const click = (e: MouseEvent<HTMLDivElement>) => {
    if (e.target !== e.currentTarget) return;
    if (!state.armed) return dispatch({ type: "select", key: undefined });
    dispatch({ type: "place", kind: state.armed, page: number, size, at: pointOn(e.currentTarget, size, e.clientX, e.clientY) });
  };
  return (
    <div className={classes.sheet} data-armed={state.armed !== undefined} onClick={click}>
      {guides.map((g) => (
        <div key={g.axis} aria-hidden className={classes.guide} style={g.axis === "x" ? { left: g.at * scale, top: 0, bottom: 0, width: 0 } : { top: (size.height - g.at) * scale, left: 0, right: 0, height: 0 }} />
      ))}
      {mine.map((p) => <PlacedBox key={p.key} placed={p} size={size} scale={scale} text={text} guide={setGuides} />)}
    </div>
  );
}
