import { Box, UnstyledButton } from "@mantine/core";

import type { Placement } from "../../api/documents";
import type { PageSize } from "../../pdf/page-size";
import { useText } from "../../text";
import { colourOf } from "./boxes";
import classes from "./sign.module.css";

interface Props {
  /** The boxes of all participants on this page. */
  boxes: Placement[];
  /** All boxes of the document, which determine the colours. */
  all: Placement[];
  /** The reader. */
  me: string | undefined;
  size: PageSize;
  /** Pixels per point. */
  scale: number;
  /** Opens the sheet. If it is open anyway, a mark is not a button. */
  open: (() => void) | undefined;
}

/** Marks shows on a page where all signatures, initials and stamps will be: of whom, and of what kind. */
export function Marks({ boxes, all, me, size, scale, open }: Props) {
  const t = useText();
  return boxes.map((b, i) => {
    const where = { left: b.box.llx * scale, top: (size.height - b.box.ury) * scale, width: (b.box.urx - b.box.llx) * scale, height: (b.box.ury - b.box.lly) * scale };
    const name = t(b.filled ? "sign.boxFilled" : "sign.box", { kind: t(`place.${b.type}`), name: b.name, page: b.page });
    if (b.user_id !== me || b.type === "emet" || b.filled) {
      return (
        <Box key={i} role="img" aria-label={name} className={classes.other} data-other={b.page} data-kind={b.type} data-filled={b.filled} style={{ ...where, "--person": colourOf(all, b.user_id) } as React.CSSProperties}>
          {!b.filled && <span aria-hidden className={classes.whose}>{t(`place.${b.type}`)}<br />{b.name}</span>}
        </Box>
      );
    }
    const what = t(b.type === "paraf" ? "sign.initialsHere" : "sign.signHere");
    return open
      ? <UnstyledButton key={i} className={classes.mark} data-mark={b.page} style={where} onClick={open}>{what}</UnstyledButton>
      : <Box key={i} role="img" aria-label={name} className={classes.mark} data-mark={b.page} style={{ ...where, pointerEvents: "none" }}>{what}</Box>;
  });
}
