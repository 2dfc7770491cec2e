import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";

import { Problem } from "../api/client";
import { address } from "../api/files";
import { currentRate } from "./line-rate";
import { Queue, readPages, readPicture, type PageList, type ReadPicture } from "./pictures";
import { useFile, type OpenFile } from "./use-file";

/** Pictures show the pages of a document while its file is on its way. They belong to one revision. */
export interface Pictures {
  list: PageList;
  /** Reads a picture of a page; the width is one of those in the list. */
  read: (page: number, width: number, signal: AbortSignal) => Promise<ReadPicture>;
  /** A picture was shown. */
  onShown: () => void;
  /** A picture could not be read or shown. */
  onMissing: (error: unknown) => void;
}

/** DocumentFile is a document's file, of which pictures of pages are shown first. */
export interface DocumentFile extends OpenFile {
  pictures?: Pictures | undefined;
  /** The line is slow and the file is large, so it is loaded only when the reader asks for it. */
  postponed: boolean;
  /** What is shown is a former revision: the newest is being read. */
  former: boolean;
  load: () => void;
}

/** Files of so many bytes are loaded behind the pictures however slow the line is. */
const small = 1 << 20;
/** Lines with so many bytes a millisecond load every file. */
const fast = 100;
/** Milliseconds after which the file is loaded although the first picture has not been shown: the service may be drawing it. */
const longest = 3000;

/** What is known of one revision of one document. */
interface State {
  revision: string;
  /** The pages, and the revision of which they are: the former one until those of this one were read. */
  listed?: { revision: string; list: PageList };
  file: "waits" | "postponed" | "wanted";
}

/** What is known of a revision before anything was read. */
const begin = (revision: string, { listed, file }: State): State => ({ revision, listed, file: file === "wanted" ? file : "waits" });

/**
 * Opens the file of a document while the component is mounted; the key identifies the revision. Pictures of the pages come first,
 * where the service draws them, and the file is loaded behind the first of them. While another revision is read, the former one
 * stays, with its digest.
 */
export function useDocument(id: number, key: string): DocumentFile {
  const [tries, setTries] = useState(0);
  const revision = `${id} ${key} ${tries}`;
  const [known, setKnown] = useState<State>({ revision, file: "waits" });
  // What was decided for another revision does not hold for this one, not even in the rendering that follows its arrival.
  const state = useMemo((): State => (known.revision === revision ? known : begin(revision, known)), [known, revision]);
  const change = useCallback((to: (s: State) => State) => setKnown((s) => to(s.revision === revision ? s : begin(revision, s))), [revision]);
  const load = useCallback(() => change((s) => ({ ...s, file: "wanted" })), [change]);
  const loadUnlessSlow = useCallback(() => change((s) => ({ ...s, file: s.file === "wanted" || !isLong(s.listed?.list.size) ? "wanted" : "postponed" })), [change]);
  useEffect(() => {
    const ended = new AbortController();
    const timer = setTimeout(loadUnlessSlow, longest);
    readPages(id, ended.signal).then((list) => {
      if (!ended.signal.aborted) change((s) => (list.pictures ? { ...s, listed: { revision: s.revision, list } } : { ...s, file: "wanted" }));
    }, () => { if (!ended.signal.aborted) load(); }); // a refusal is reported when the file is opened
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [id, change, load, loadUnlessSlow]);
  const list = state.listed?.list, wanted = state.file === "wanted", opened = `${revision} ${wanted}`;
  const file = useFile(wanted ? { url: address.preview(id) } : undefined, opened, String(id));
  const loads = useRef({ load, loadUnlessSlow });
  loads.current = { load, loadUnlessSlow };
  const pictures = useMemo(() => list && newPictures(id, list, loads), [id, list]);
  // Another signature may have been added since the pages were listed: then the file shows what is signed, and the pictures do not.
  const current = pictures && (!file.digest || file.digest === list?.digest) ? pictures : undefined;
  const again = useCallback(() => setTries((n) => n + 1), []);
  const former = file.document ? file.key !== opened : current !== undefined && state.listed?.revision !== revision;
  return { ...file, ...(current && { digest: current.list.digest }), pictures: current, postponed: state.file === "postponed", former, load, again };
}

/** Reports whether a file takes long on this line. As long as its size is unknown, it may be large. */
const isLong = (size = Infinity): boolean => size > small && currentRate() < fast;

function newPictures(id: number, list: PageList, loads: RefObject<{ load: () => void; loadUnlessSlow: () => void }>): Pictures {
  const queue = new Queue();
  let shown = false;
  return {
    list,
    read: (page, width, signal) => queue.run(signal, () => readPicture(id, list, page, width, signal)),
    onShown: () => {
      if (!shown) loads.current.loadUnlessSlow();
      shown = true;
    },
    // A page that is not drawn is in the file. While the service is busy or away, the file would not arrive sooner.
    onMissing: (error) => (error instanceof Problem && error.retryable ? loads.current.loadUnlessSlow() : loads.current.load()),
  };
}
