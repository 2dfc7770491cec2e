import { Box, UnstyledButton } from "@mantine/core";
import { useEffect, useRef } from "react";

import type { Placement } from "../../api/documents";
import type { PageSize } from "../../pdf/page-size";
import { useText } from "../../text";
import { colourOf } from "./boxes";
import classes from "./sign.module.css";
import { boxKey } from "./tour";

interface Props {
  /** The boxes of all participants on this page. */
  boxes: Placement[];
  /** All boxes of the document, which determine the colours. */
  all: Placement[];
  /** The reader, if they are asked to sign. */
  me: string | undefined;
  /** The reader, if they have signed and the pages do not show it yet. */
  signed: string | undefined;
  size: PageSize;
  /** Pixels per point. */
  scale: number;
  /** Opens the sheet. If it is open anyway, a mark is not a button. */
  open: (() => void) | undefined;
  /** Reports that a box of the reader is visible. */
  onShown: (key: string) => void;
}

/** Marks shows on a page where all signatures, initials and stamps will be: of whom, and of what kind. */
export function Marks({ boxes, all, me, signed, size, scale, open, onShown }: Props) {
  const t = useText();
  return boxes.map((b, i) => {
    const where = { left: b.box.llx * scale, top: (size.height - b.box.ury) * scale, width: (b.box.urx - b.box.llx) * scale, height: (b.box.ury - b.box.lly) * scale };
    const done = b.filled || (b.user_id === signed && b.type !== "emet");
    const name = t(done ? "sign.boxFilled" : "sign.box", { kind: t(`place.${b.type}`), name: b.name, page: b.page });
    if (b.user_id !== me || b.type === "emet" || done) {
      const unseen = done && b.user_id === signed && b.type !== "emet";
      return (
        <Box key={i} role="img" aria-label={name} className={classes.other} data-other={b.page} data-kind={b.type} data-filled={done} data-signed={unseen || undefined} style={{ ...where, "--person": colourOf(all, b.user_id) } as React.CSSProperties}>
          {!done && <span aria-hidden className={classes.whose}>{t(`place.${b.type}`)}<br />{b.name}</span>}
          {unseen && <span aria-hidden className={classes.whose}>{t("sign.boxSigned")}<br />{b.name}</span>}
        </Box>
      );
    }
    return <Mine key={i} box={b} name={name} what={t(b.type === "paraf" ? "sign.initialsHere" : "sign.signHere")} where={where} open={open} onShown={onShown} />;
  });
}

interface MineProps {
  box: Placement;
  name: string;
  what: string;
  where: React.CSSProperties;
  open: (() => void) | undefined;
  onShown: (key: string) => void;
}

/** Mine is a box of the reader, to be signed. */
function Mine({ box, name, what, where, open, onShown }: MineProps) {
  const frame = useRef<HTMLDivElement & HTMLButtonElement>(null);
  const key = boxKey(box);
  useEffect(() => {
    // Not what the bars at the top and at the bottom cover.
    const watch = new IntersectionObserver((entries) => { if (entries.some((e) => e.isIntersecting)) onShown(key); }, { threshold: 0.6, rootMargin: "-100px 0px -160px 0px" });
    watch.observe(frame.current!);
    return () => watch.disconnect();
  }, [key, open, onShown]);
  return open
    ? <UnstyledButton ref={frame} className={classes.mark} data-mark={box.page} data-key={key} style={where} onClick={open}>{what}</UnstyledButton>
    : <Box ref={frame} role="img" aria-label={name} className={classes.mark} data-mark={box.page} data-key={key} style={{ ...where, pointerEvents: "none" }}>{what}</Box>;
}
