import { useCallback, useEffect, useMemo, useState } from "react";

import { address } from "../api/files";
import { currentRate } from "./line-rate";
import { Line, pictureWidth, readPages, readPicture, type PageList } from "./pictures";
import { useFile, type OpenFile } from "./use-file";

/** Pictures show the pages of a document while its file is on its way. They belong to one revision. */
export interface Pictures {
  list: PageList;
  /** Reads a picture of a page that is so many pixels of the screen wide. */
  read: (page: number, width: number, signal: AbortSignal) => Promise<Blob>;
  /** A picture was shown. */
  onShown: () => void;
  /** A picture could not be read: the pages are shown from the file. */
  onMissing: () => void;
}

/** DocumentFile is a document's file, of which pictures of pages are shown first. */
export interface DocumentFile extends OpenFile {
  pictures?: Pictures | undefined;
  /** The line is slow and the file is large, so it is loaded only when the reader asks for it. */
  held: boolean;
  load: () => void;
}

/** Files of so many bytes are loaded behind the pictures however slow the line is. */
const small = 1 << 20;
/** Lines with so many bytes a millisecond load every file. */
const fast = 250;

/**
 * Opens the file of a document while the component is mounted; the key identifies the revision. Pictures of the pages come first,
 * where the service draws them, and the file is loaded behind the first of them.
 */
export function useDocument(id: number, key: string): DocumentFile {
  const [list, setList] = useState<PageList>();
  const [wanted, setWanted] = useState(false);
  const [held, setHeld] = useState(false);
  const load = useCallback(() => setWanted(true), []);
  useEffect(() => {
    const ended = new AbortController();
    // A refusal is reported when the file is opened.
    readPages(id, ended.signal).then((l) => (l.pictures ? setList(l) : load()), () => { if (!ended.signal.aborted) load(); });
    return () => {
      ended.abort();
      setList(undefined);
      setWanted(false);
      setHeld(false);
    };
  }, [id, key, load]);
  const file = useFile(wanted ? { url: address.preview(id) } : undefined, `${key} ${wanted}`);
  const pictures = useMemo(() => list && newPictures(id, list, load, () => setHeld(true)), [id, list, load]);
  // Another signature may have been added since the pages were listed: then the file shows what is signed, and the pictures do not.
  const current = pictures && (!file.digest || file.digest === list?.digest) ? pictures : undefined;
  return { ...file, ...(current && { digest: current.list.digest }), pictures: current, held: held && !wanted, load };
}

function newPictures(id: number, list: PageList, load: () => void, hold: () => void): Pictures {
  const line = new Line();
  let first = true;
  return {
    list,
    read: (page, width, signal) => line.run(signal, () => readPicture(id, list, page, pictureWidth(list, width), signal)),
    onShown: () => {
      if (!first) return;
      first = false;
      if (list.size <= small || currentRate() >= fast) setTimeout(load, 500); // after what the reader waits for
      else hold();
    },
    onMissing: load,
  };
}
