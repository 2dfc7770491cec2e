import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef, useState, type ReactNode } from "react";

import { Problem } from "../api/client";
import { useText } from "../text";
import { Loading } from "../ui/loading";
import { Trouble } from "../ui/trouble";
import type { PDFPageProxy } from "./engine";
import { Page, type PageSize } from "./page";
import classes from "./pdf.module.css";
import type { OpenFile } from "./use-file";

interface Props {
  file: OpenFile;
  /** What is rendered over each page; scale is pixels per point. */
  overlay?: ((number: number, size: PageSize, scale: number, page: PDFPageProxy | undefined) => ReactNode) | undefined;
  /** Reports which page is in the middle of the window. */
  onVisible?: ((number: number) => void) | undefined;
  /** Shows the pages as they would be printed. */
  print?: boolean;
  /** Reports that a page was drawn as shown on a screen. */
  onDrawn?: ((number: number) => void) | undefined;
  /** Reports whether the end of the last page is visible. */
  onEnd?: ((inSight: boolean) => void) | undefined;
  /** Magnification; 1 is the width of the column, at most 900 pixels. */
  zoom?: number;
}

/** Pages shows a file from top to bottom. It reads and draws only what is visible, however long the file is. */
export function Pages({ file, overlay, onVisible, print = false, onDrawn, onEnd, zoom = 1 }: Props) {
  const t = useText();
  const { ref, width } = useElementSize();
  const [guess, setGuess] = useState<PageSize>();
  const { document, problem } = file;
  useEffect(() => {
    setGuess(undefined);
    document?.getPage(1).then((p) => {
      const { width: w, height: h } = p.getViewport({ scale: 1 });
      setGuess({ width: w, height: h });
    }).catch(() => setGuess({ width: 595, height: 842 }));
  }, [document]);
  if (problem) return <Trouble error={problem.reason === "file" ? new Problem(0, "file", t("pdf.unreadable")) : problem} retry={file.again} />;
  const total = document?.numPages ?? 0;
  return (
    <div ref={ref} className={classes.pages}>
      {!(document && guess && width > 0) ? <Loading /> : Array.from({ length: total }, (_, i) => (
        <Page key={i} document={document} number={i + 1} label={t("pdf.page", { number: i + 1, total })} width={Math.min(width, 900) * zoom} guess={guess} overlay={overlay} onVisible={onVisible} print={print} onDrawn={onDrawn} />
      ))}
      {document && guess && width > 0 && onEnd && <End onEnd={onEnd} />}
    </div>
  );
}

/** End marks the end of the last page. */
function End({ onEnd }: { onEnd: (inSight: boolean) => void }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => onEnd(entry!.isIntersecting));
    watch.observe(end.current!);
    return () => {
      watch.disconnect();
      onEnd(false);
    };
  }, [onEnd]);
  return <div ref={end} style={{ height: 1, alignSelf: "stretch" }} aria-hidden />;
}
