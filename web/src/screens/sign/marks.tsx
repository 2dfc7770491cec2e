import { Box, UnstyledButton } from "@mantine/core";

import type { Placement } from "../../api/documents";
import type { PageSize } from "../../pdf/page";
import { useText } from "../../text";
import classes from "./sign.module.css";

interface Props {
  boxes: Placement[];
  size: PageSize;
  /** Pixels per point. */
  scale: number;
  /** Opens the sheet; where it is open anyway, a mark is no button. */
  open: (() => void) | undefined;
}

/** Marks show on a page where my signature and my initials will stand. */
export function Marks({ boxes, size, scale, open }: Props) {
  const t = useText();
  return boxes.map((b, i) => {
    const where = { left: b.box.llx * scale, top: (size.height - b.box.ury) * scale, width: (b.box.urx - b.box.llx) * scale, height: (b.box.ury - b.box.lly) * scale };
    const what = t(b.type === "paraf" ? "sign.initialsHere" : "sign.signHere");
    return open
      ? <UnstyledButton key={i} className={classes.mark} data-mark={b.page} style={where} onClick={open}>{what}</UnstyledButton>
      : <Box key={i} className={classes.mark} data-mark={b.page} style={{ ...where, pointerEvents: "none" }}>{what}</Box>;
  });
}
