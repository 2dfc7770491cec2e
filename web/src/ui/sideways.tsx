import type { ReactNode, Ref } from "react";

import classes from "./sideways.module.css";

/**
 * Sideways is a row that scrolls if it is wider than its place. A phone shows no scroll bar: the row fades out at the edge. Where there is
 * more room, one that wraps has several lines instead.
 */
export function Sideways({ children, wraps = false, ref }: { children: ReactNode; wraps?: boolean; ref?: Ref<HTMLDivElement> }) {
  return <div className={wraps ? `${classes.row} ${classes.wraps}` : classes.row} ref={ref}>{children}</div>;
}
