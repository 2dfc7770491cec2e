import { useEffect, useState } from "react";

import type { Problem } from "../api/client";
import { openFile, problemOfFile, type FileSource, type PDFDocumentProxy, type PDFPageProxy } from "./engine";

export interface OpenFile {
  document?: PDFDocumentProxy;
  /** SHA-256 of the file that is shown, as the service states it. */
  digest?: string;
  problem?: Problem;
  /** Opens the file again. */
  again: () => void;
}

/** Opens a file while the component is mounted. The key identifies the file: its address, or a digest. */
export function useFile(source: FileSource | undefined, key: string): OpenFile {
  const [file, setFile] = useState<Omit<OpenFile, "again">>({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!source) return;
    let gone = false;
    const task = openFile(source);
    task
      .then(async (t) => ({ document: await t.promise, digest: t.digest }))
      .then((opened) => !gone && setFile(opened))
      .catch((error: unknown) => !gone && setFile({ problem: problemOfFile(error) }));
    return () => {
      gone = true;
      setFile({});
      void task.then((t) => t.destroy()).catch(() => undefined);
    };
    // The source is a new object at each rendering; only its key identifies it.
  }, [key, tries]);
  return { ...file, again: () => setTries((n) => n + 1) };
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
