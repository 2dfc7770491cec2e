import { useEffect, useRef, useState, type ComponentProps } from "react";

import { Pages } from "../../pdf/pages";
import type { DocumentFile } from "../../pdf/use-document";
import { useText } from "../../text";
import { ReadingTools } from "./reading-tools";
import classes from "./sign.module.css";
import { useZoom } from "./zoom";

interface Props extends Pick<ComponentProps<typeof Pages>, "overlay" | "print" | "onDrawn" | "onEnd"> {
  file: DocumentFile;
  /** Whether the file that is shown was drawn. Until then its pages keep the place of those before. */
  drawn: boolean;
}

/** ReadingPages shows the pages of a document with what helps to read them: the number of the page, a jump to another, and zoom. */
export function ReadingPages({ file, drawn, ...rest }: Props) {
  const t = useText();
  const [page, setPage] = useState(1);
  const { pages, zoom, larger, smaller } = useZoom();
  const height = useHeight(pages);
  const zoomed = zoom > 1 && { "data-zoomed": true, tabIndex: 0, role: "group", "aria-label": t("sign.pages") };
  return (
    <div>
      <ReadingTools pages={pages} page={page} total={file.document?.numPages ?? file.pictures?.list.count ?? 0} zoom={zoom} larger={larger} smaller={smaller} />
      {/* While another revision is opened, its pages keep their place, and so the reader keeps theirs. */}
      <div ref={pages} className={classes.pages} data-revision={file.digest?.slice(0, 12)} {...zoomed} style={{ minHeight: drawn ? undefined : height.current }}>
        <Pages file={file} zoom={zoom} onVisible={setPage} {...rest} />
      </div>
    </div>
  );
}

/** The height of an element when it was last laid out. */
function useHeight(of: React.RefObject<HTMLElement | null>): React.RefObject<number | undefined> {
  const height = useRef<number>(undefined);
  useEffect(() => {
    const element = of.current!;
    const watch = new ResizeObserver(() => { height.current = element.offsetHeight; });
    watch.observe(element);
    return () => watch.disconnect();
  }, [of]);
  return height;
}
