import { Button } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";

import { Problem } from "../api/client";
import { useLanguage, useText } from "../text";
import { Loading } from "../ui/loading";
import { sizeOf } from "../ui/file-size";
import { Trouble } from "../ui/trouble";
import type { PDFPageProxy } from "./engine";
import { Page } from "./page";
import classes from "./pdf.module.css";
import { listedSize, pageSize, type PageList } from "./pictures";
import type { PageSize } from "./page-size";
import type { DocumentFile } from "./use-document";
import type { OpenFile } from "./use-file";

interface Props {
  file: OpenFile & Partial<Pick<DocumentFile, "pictures" | "postponed" | "load">>;
  /** What is rendered over each page; scale is pixels per point. */
  overlay?: ((number: number, size: PageSize, scale: number, page: PDFPageProxy | undefined) => ReactNode) | undefined;
  /** Renders the overlay only of pages near the window: for documents with thousands of pages. */
  overlayNearby?: boolean;
  /** The sizes of the pages, so that nothing moves when a page is read. */
  sizes?: PageList | undefined;
  /** Reports which page is in the middle of the window. */
  onVisible?: ((number: number) => void) | undefined;
  /** Shows the pages as they would be printed. */
  print?: boolean;
  /** Reports that a page was drawn as shown on a screen: from the file, or as a picture of it. */
  onDrawn?: ((number: number, picture: boolean) => void) | undefined;
  /** Reports whether the end of the last page is visible. */
  onEnd?: ((inSight: boolean) => void) | undefined;
  /** Magnification; 1 is the width of the column, at most 900 pixels. */
  zoom?: number;
}

/** Pages shows a file from top to bottom. It reads and draws only what is visible, however long the file is. */
export function Pages({ file, overlay, overlayNearby = false, sizes, onVisible, print = false, onDrawn, onEnd, zoom = 1 }: Props) {
  const t = useText(), language = useLanguage();
  const { ref, width } = useElementSize();
  const [guess, setGuess] = useState<PageSize>();
  const { document, problem } = file, pictures = print ? undefined : file.pictures;
  useEffect(() => {
    // While another revision is opened, the pages keep their sizes and their place.
    document?.getPage(1).then((p) => {
      const { width: w, height: h } = p.getViewport({ scale: 1 });
      setGuess({ width: w, height: h });
    }).catch(() => setGuess({ width: 595, height: 842 }));
  }, [document]);
  const inMiddle = useRef(new Set<number>());
  const onMiddle = useCallback((number: number, there: boolean) => {
    const pages = inMiddle.current;
    if (there) pages.add(number);
    else pages.delete(number);
    // A page may come for a moment while another one stays, as when all of them grow.
    const visible = there ? number : Math.max(...pages);
    if (Number.isFinite(visible)) onVisible?.(visible);
  }, [onVisible]);
  const load = file.load;
  useEffect(() => {
    if (zoom > 1 || print) load?.(); // pictures are neither sharp enough nor what is printed
  }, [zoom, print, load]);
  if (problem && !((pictures || document) && problem.reason === "network")) return <Trouble error={problem.reason === "file" ? new Problem(0, "file", t("pdf.unreadable")) : problem} retry={file.again} />;
  const total = document?.numPages ?? pictures?.list.count ?? 0;
  const known = width > 0 && (pictures !== undefined || document !== undefined && guess !== undefined);
  return (
    <div ref={ref} className={classes.pages}>
      {!known ? <Loading /> : Array.from({ length: total }, (_, i) => (
        <Page key={i} document={document} pictures={pictures} number={i + 1} label={t("pdf.page", { number: i + 1, total })} width={Math.min(width, 900) * zoom} guess={pictures ? pageSize(pictures.list, i + 1) : (sizes && listedSize(sizes, i + 1)) ?? guess!} overlay={overlay} overlayNearby={overlayNearby} onMiddle={onMiddle} print={print} onDrawn={onDrawn} />
      ))}
      {known && file.postponed && <Button variant="subtle" onClick={load}>{t("pdf.loadFile", { size: sizeOf(pictures?.list.size ?? 0, language) })}</Button>}
      {known && problem && <Trouble error={problem} retry={file.again} />}
      {known && onEnd && <End onEnd={onEnd} />}
    </div>
  );
}

/** End marks the end of the last page. */
function End({ onEnd }: { onEnd: (inSight: boolean) => void }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => onEnd(entries.at(-1)!.isIntersecting));
    watch.observe(end.current!);
    return () => {
      watch.disconnect();
      onEnd(false);
    };
  }, [onEnd]);
  return <div ref={end} style={{ height: 1, alignSelf: "stretch" }} aria-hidden />;
}
