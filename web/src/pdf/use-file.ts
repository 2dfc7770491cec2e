import { useEffect, useRef, useState } from "react";

import type { Problem } from "../api/client";
import { openFile, problemOfFile, type FileSource, type Opening, type PDFDocumentProxy, type PDFPageProxy } from "./engine";

export interface OpenFile {
  document?: PDFDocumentProxy;
  /** SHA-256 of the file that is shown, as the service states it. */
  digest?: string;
  /** The key with which it was opened. */
  key?: string;
  problem?: Problem;
  /** Opens the file again. */
  again: () => void;
}

/**
 * Opens a file while the component is mounted. The key identifies the file: its address, or a digest. Files with the same of are
 * revisions of one file: the former one stays open until the next one is.
 */
export function useFile(source: FileSource | undefined, key: string, of = key): OpenFile {
  const [file, setFile] = useState<Omit<OpenFile, "again"> & { of?: string }>({});
  const [tries, setTries] = useState(0);
  const shown = useRef<Opening>(undefined);
  useEffect(() => {
    if (!source) return;
    let gone = false;
    setFile((f) => (f.problem ? { ...f, problem: undefined } : f)); // of an earlier try
    const task = openFile(source);
    task
      .then(async (t) => ({ opening: t, document: await t.promise }))
      .then(({ opening, document }) => {
        if (gone) return;
        const former = shown.current;
        shown.current = opening;
        setFile({ of, key, document, digest: opening.digest });
        void former?.destroy();
      })
      .catch((error: unknown) => !gone && setFile((f) => ({ ...(f.of === of ? f : { of }), problem: problemOfFile(error) })));
    return () => {
      gone = true;
      void task.then((t) => { if (t !== shown.current) return t.destroy(); }).catch(() => undefined);
    };
    // The source is a new object at each rendering; only its key identifies it.
  }, [key, of, tries]);
  useEffect(() => () => {
    void shown.current?.destroy();
    shown.current = undefined;
    setFile({});
  }, [of]);
  return { ...(file.of === of ? { document: file.document, digest: file.digest, key: file.key, problem: file.problem } : {}), again: () => setTries((n) => n + 1) };
}

/** Reads one page, once it is needed. */
export function usePage(document: PDFDocumentProxy | undefined, number: number, wanted: boolean): PDFPageProxy | undefined {
  const [read, setRead] = useState<{ document: PDFDocumentProxy; number: number; page: PDFPageProxy }>();
  useEffect(() => {
    if (!document || !wanted) return;
    let gone = false;
    document.getPage(number).then((page) => !gone && setRead({ document, number, page })).catch(() => undefined);
    return () => {
      gone = true;
    };
  }, [document, number, wanted]);
  // Never show, even briefly, a page of another file under the name of this one.
  return read?.document === document && read?.number === number ? read.page : undefined;
}
