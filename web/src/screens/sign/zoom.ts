import { useCallback, useLayoutEffect, useRef, useState } from "react";

/** Magnifications that can be chosen; 1 fits the width. */
export const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];

/** A point of the pages: a page, and a fraction of its width and height. */
interface Anchor {
  page: number;
  x: number;
  y: number;
}

/** Zoom magnifies the pages and keeps what is in the middle of the window there. */
export function useZoom() {
  const [level, setLevel] = useState(zooms.indexOf(1));
  const pages = useRef<HTMLDivElement>(null);
  const anchor = useRef<Anchor>(undefined);
  const change = useCallback((by: 1 | -1) => {
    anchor.current = pages.current ? anchorOf(pages.current) : undefined;
    setLevel((l) => Math.min(Math.max(l + by, 0), zooms.length - 1));
  }, []);
  useLayoutEffect(() => {
    if (pages.current && anchor.current) showAnchor(pages.current, anchor.current);
    anchor.current = undefined;
  }, [level]);
  return { pages, zoom: zooms[level]!, larger: level < zooms.length - 1 ? () => change(1) : undefined, smaller: level > 0 ? () => change(-1) : undefined };
}

/** What is in the middle of the visible part of the pages. */
function anchorOf(pages: HTMLElement): Anchor | undefined {
  const frame = pages.getBoundingClientRect(), middle = { x: frame.left + frame.width / 2, y: window.innerHeight / 2 };
  for (const page of pages.querySelectorAll<HTMLElement>("[data-page]")) {
    const r = page.getBoundingClientRect();
    if (r.bottom >= middle.y) return { page: Number(page.dataset.page), x: (middle.x - r.left) / r.width, y: (middle.y - r.top) / r.height };
  }
  return undefined;
}

function showAnchor(pages: HTMLElement, { page, x, y }: Anchor): void {
  const r = pages.querySelector(`[data-page="${page}"]`)?.getBoundingClientRect();
  if (!r) return;
  const frame = pages.getBoundingClientRect();
  pages.scrollLeft += r.left + x * r.width - (frame.left + frame.width / 2);
  window.scrollBy(0, r.top + y * r.height - window.innerHeight / 2);
}
