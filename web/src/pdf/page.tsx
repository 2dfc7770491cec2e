import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";

import type { PDFDocumentProxy, PDFPageProxy } from "./engine";
import type { PageSize } from "./page-size";
import classes from "./pdf.module.css";
import { pictureWidth } from "./pictures";
import type { Pictures } from "./use-document";
import { usePage } from "./use-file";

interface Props {
  document: PDFDocumentProxy | undefined;
  /** Shown until the page of the document is drawn. */
  pictures?: Pictures | undefined;
  number: number;
  /** Name of the page for screen readers. */
  label: string;
  /** Width on the screen, in pixels. */
  width: number;
  /** Size to assume until the page is read. */
  guess: PageSize;
  /** What is rendered over the page; scale is pixels per point. */
  overlay?: ((number: number, size: PageSize, scale: number, page: PDFPageProxy | undefined) => ReactNode) | undefined;
  /** Renders the overlay only while the page is near the window. */
  overlayNearby?: boolean;
  /** Reports that the page came to the middle of the window, or left it. */
  onMiddle?: ((number: number, there: boolean) => void) | undefined;
  /** Draws it as it would be printed. */
  print?: boolean | undefined;
  /** Reports that the page was drawn as shown on a screen: from the file, or as a picture of it. */
  onDrawn?: ((number: number, picture: boolean) => void) | undefined;
}

/** Page draws one page while it is visible, and frees it when it is not. */
export function Page({ document, pictures, number, label, width, guess, overlay, overlayNearby = false, onMiddle, print = false, onDrawn }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  const page = useKeptPage(document, number, near);
  const [known, setKnown] = useState<PageSize>();
  const size = known ?? guess;

  useEffect(() => {
    // The last entry is how things stand: several may be told at once.
    const nearby = new IntersectionObserver((entries) => setNear(entries.at(-1)!.isIntersecting), { rootMargin: "600px 0px" });
    const middle = new IntersectionObserver((entries) => onMiddle?.(number, entries.at(-1)!.isIntersecting), { rootMargin: "-50% 0px -50% 0px" });
    nearby.observe(frame.current!);
    middle.observe(frame.current!);
    return () => {
      nearby.disconnect();
      middle.disconnect();
    };
  }, [number, onMiddle]);

  useEffect(() => {
    if (!page) return;
    const { width: w, height: h } = page.getViewport({ scale: 1 });
    setKnown({ width: w, height: h });
  }, [page]);

  const [drawn, setDrawn] = useState<PDFPageProxy>();
  // The size of a page that is not listed is a guess, and comes with its picture.
  const fit = useCallback((read: PageSize) => setKnown((known) => known ?? read), []);
  const reportDrawn = useCallback((n: number) => {
    setDrawn(page);
    onDrawn?.(n, false);
  }, [page, onDrawn]);
  const scale = width / size.width;
  return (
    <div ref={frame} className={classes.page} role="group" aria-label={label} data-page={number} style={{ width, height: size.height * scale }}>
      {near && pictures && !(page && drawn === page) && <Picture pictures={pictures} number={number} width={width} onShown={onDrawn} onSize={fit} />}
      {near && page && <Drawing page={page} scale={scale} print={print} onDrawn={reportDrawn} />}
      {(near || !overlayNearby) && overlay?.(number, size, scale, page)}
    </div>
  );
}

/** Reads one page, once it is needed. While that of another revision is read, the former one stays. */
function useKeptPage(document: PDFDocumentProxy | undefined, number: number, near: boolean): PDFPageProxy | undefined {
  const read = usePage(document, number, near);
  const kept = useRef<PDFPageProxy>(undefined);
  if (read || !document || !near) kept.current = read;
  return read ?? kept.current;
}

/** Picture is a picture of a page by the service. Its text is in the file that is loaded behind it. While another one is read, it stays. */
function Picture({ pictures, number, width, onShown, onSize }: { pictures: Pictures; number: number; width: number; onShown: Props["onDrawn"]; onSize: (size: PageSize) => void }) {
  const [read, setRead] = useState<{ address: string; size: PageSize | undefined; of: Pictures }>();
  useEffect(() => () => { if (read) URL.revokeObjectURL(read.address); }, [read]);
  const pixels = pictureWidth(pictures.list, width * Math.min(window.devicePixelRatio || 1, 2));
  useEffect(() => {
    const ended = new AbortController();
    pictures.read(number, pixels, ended.signal).then(({ picture, size }) => {
      if (!ended.signal.aborted) setRead({ address: URL.createObjectURL(picture), size, of: pictures });
    }).catch((error: unknown) => { if (!ended.signal.aborted) pictures.onMissing(error); });
    return () => ended.abort();
  }, [pictures, number, pixels]);
  const shown = () => {
    if (read!.of !== pictures) return; // those of another revision are being read
    if (read!.size) onSize(read!.size);
    pictures.onShown();
    onShown?.(number, true);
  };
  return read && <img src={read.address} alt="" className={classes.canvas} draggable={false} onLoad={shown} onError={() => pictures.onMissing(undefined)} data-picture={number} />;
}

/**
 * Drawing is the picture of a page and, over it, its invisible text, for screen readers, search and selection. If it is drawn again,
 * in another size or from another revision, what was drawn stays until then.
 */
function Drawing({ page, scale, print, onDrawn }: { page: PDFPageProxy; scale: number; print: boolean; onDrawn: (number: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const drawn = useRef(false);
  useEffect(() => {
    const viewport = page.getViewport({ scale });
    // Canvases above about 16 million pixels stay empty on phones.
    const dense = Math.min(window.devicePixelRatio || 1, 2, Math.sqrt(16e6 / (viewport.width * viewport.height)));
    const shown = canvas.current!, c = drawn.current ? window.document.createElement("canvas") : shown;
    c.width = Math.floor(viewport.width * dense);
    c.height = Math.floor(viewport.height * dense);
    let layer: { cancel(): void } | undefined;
    let gone = false;
    const drawing = page.render({ canvas: c, viewport, transform: [dense, 0, 0, dense, 0, 0], intent: print ? "print" : "display" });
    drawing.promise.then(() => {
      if (gone) return;
      if (c !== shown) copyCanvas(c, shown);
      drawn.current = true;
      if (!print) onDrawn(page.pageNumber);
    }, () => { if (!gone) emptyCanvas(shown); }); // a page that cannot be drawn is white
    void import("pdfjs-dist").then(({ TextLayer }) => {
      if (gone) return;
      const made = new TextLayer({ textContentSource: page.streamTextContent(), container: text.current!, viewport });
      layer = made;
      made.render().catch(() => undefined);
    });
    const container = text.current!;
    return () => {
      gone = true;
      drawing.cancel();
      layer?.cancel();
      container.replaceChildren();
      if (c !== shown) emptyCanvas(c);
    };
  }, [page, scale, print, onDrawn]);
  useEffect(() => {
    const shown = canvas.current!;
    return () => emptyCanvas(shown);
  }, []);
  return (
    <>
      <canvas ref={canvas} className={classes.canvas} aria-hidden />
      <div ref={text} className={classes.text} style={{ "--total-scale-factor": String(scale), "--scale-factor": String(scale) } as React.CSSProperties} />
    </>
  );
}

/** Frees the memory of a canvas at once. */
function emptyCanvas(c: HTMLCanvasElement): void {
  c.width = c.height = 0;
}

function copyCanvas(from: HTMLCanvasElement, to: HTMLCanvasElement): void {
  to.width = from.width;
  to.height = from.height;
  to.getContext("2d")!.drawImage(from, 0, 0);
  emptyCanvas(from);
}
