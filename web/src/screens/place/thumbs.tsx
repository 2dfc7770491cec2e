import { useEffect, useRef, useState, type KeyboardEvent } from "react";

import type { PDFDocumentProxy } from "../../pdf/engine";
import { usePage } from "../../pdf/use-file";
import { useText } from "../../text";
import type { Assignee } from "./assignees";
import classes from "./place.module.css";
import type { Placed } from "./placements";

const height = 132, margin = 4;

interface Props {
  document: PDFDocumentProxy;
  current: number;
  /** The boxes by page. */
  boxes: ReadonlyMap<number, Placed[]>;
  /** The person whose pages are marked. */
  who: Assignee | undefined;
  go: (page: number) => void;
}

/** Thumbs shows thumbnails of the pages. Only those in view are rendered. */
export function Thumbs({ document, current, boxes, who, go }: Props) {
  const t = useText();
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [tall, setTall] = useState(600);
  const total = document.numPages;
  useEffect(() => {
    const seen = new ResizeObserver(([e]) => setTall(e!.contentRect.height));
    seen.observe(frame.current!);
    return () => seen.disconnect();
  }, []);
  useEffect(() => {
    const f = frame.current!, y = (current - 1) * height;
    if (y < f.scrollTop || y + height > f.scrollTop + f.clientHeight) f.scrollTop = y - f.clientHeight / 2 + height / 2;
  }, [current]);
  const key = (e: KeyboardEvent) => {
    const to = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 1, End: total, PageDown: current + 5, PageUp: current - 5 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    const page = Math.max(1, Math.min(total, to));
    go(page);
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(`[data-thumb="${page}"]`)?.focus());
  };
  const first = Math.max(1, Math.floor(top / height) + 1 - margin), last = Math.min(total, Math.ceil((top + tall) / height) + margin);
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  if (!shown.includes(current)) shown.push(current); // it may have the focus
  return (
    <div ref={frame} className={classes.thumbs} role="navigation" aria-label={t("place.pages")} onScroll={(e) => setTop(e.currentTarget.scrollTop)} onKeyDown={key}>
      <div style={{ height: total * height, position: "relative" }}>
        {shown.map((n) => {
          const all = boxes.get(n) ?? [], own = all.filter((p) => p.person === who?.id).length;
          return (
          <button key={n} type="button" data-thumb={n} tabIndex={n === current ? 0 : -1} className={classes.thumb} aria-current={n === current ? "page" : undefined} style={{ top: (n - 1) * height, height: height - 8 }} onClick={() => go(n)}
            data-own={own > 0 || undefined} aria-label={own > 0 ? t("place.thumbOwn", { page: n, count: all.length, own, name: who!.name }) : t("place.thumb", { page: n, count: all.length })}>
            <Small document={document} number={n} />
            <span aria-hidden>{n}{all.length > 0 && <b> · {all.length}</b>}{own > 0 && <i className={classes.own} style={{ background: who!.colour }} />}</span>
          </button>
          );
        })}
      </div>
    </div>
  );
}

function Small({ document, number }: { document: PDFDocumentProxy; number: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const page = usePage(document, number, true);
  useEffect(() => {
    if (!page) return;
    const c = canvas.current!;
    const { width, height: h } = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: Math.min(80 / width, 98 / h) * 2 });
    c.width = Math.floor(viewport.width);
    c.height = Math.floor(viewport.height);
    const drawing = page.render({ canvas: c, viewport });
    drawing.promise.catch(() => undefined);
    return () => drawing.cancel();
  }, [page]);
  return <canvas ref={canvas} aria-hidden className={classes.small} />;
}
