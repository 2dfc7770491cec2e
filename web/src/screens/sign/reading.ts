import { useCallback, useEffect, useRef, useState } from "react";

import type { DocumentFile } from "../../pdf/use-document";

/** Reading is the signer's progress through the pages of the file that is shown. */
export interface Reading {
  /** SHA-256 of the file that is shown; empty until it is open. */
  digest: string;
  /** A page was drawn. */
  started: boolean;
  /** The end of the last page was visible while that page was drawn. */
  ended: boolean;
  /** The signer confirmed that they have read it. */
  confirmed: boolean;
  setConfirmed: (confirmed: boolean) => void;
  /** The pages that were drawn so far, and of which only a picture was. */
  shown: () => { pages: number[]; pictures: number[] };
  onDrawn: (page: number, picture: boolean) => void;
  onEnd: (inSight: boolean) => void;
}

/** Whether the signer has been shown enough to sign: pages were drawn, and they reached the end or say that they have read it. */
export const enough = (r: Pick<Reading, "started" | "ended" | "confirmed">): boolean => r.started && (r.ended || r.confirmed);

/**
 * Follows which pages of a file are drawn. Which they are is told of one revision: when another signature is added, pages
 * count anew. What the signer has read stays read.
 */
export function useReading(file: DocumentFile): Reading {
  const drawn = useRef(new Map<number, "picture" | "file">());
  const [started, setStarted] = useState(false);
  const [lastDrawn, setLastDrawn] = useState(false);
  const [atEnd, setAtEnd] = useState(false);
  const [ended, setEnded] = useState(false);
  const [confirmed, setConfirmed] = useState(false);
  const { digest = "" } = file;
  const total = file.document?.numPages ?? file.pictures?.list.count;
  useEffect(() => {
    drawn.current = new Map();
    setStarted(false);
    setLastDrawn(false);
  }, [digest]);
  useEffect(() => {
    if (atEnd && lastDrawn) setEnded(true);
  }, [atEnd, lastDrawn]);
  const onDrawn = useCallback((page: number, picture: boolean) => {
    if (drawn.current.get(page) !== "file") drawn.current.set(page, picture ? "picture" : "file");
    setStarted(true);
    if (page === total) setLastDrawn(true);
  }, [total]);
  const shown = useCallback(() => {
    const pages = [...drawn.current.keys()].sort((a, b) => a - b);
    return { pages, pictures: pages.filter((n) => drawn.current.get(n) === "picture") };
  }, []);
  // A former revision is not signed: the pages of the newest have to be shown first.
  return { digest, started: started && !file.former, ended, confirmed, setConfirmed, shown, onDrawn, onEnd: setAtEnd };
}
