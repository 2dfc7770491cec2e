import { ScrollArea } from "@mantine/core";
import type { ReactNode, Ref } from "react";

import classes from "./sideways.module.css";

/** Sideways is a row that scrolls if it is wider than its place. A phone shows no scroll bar: the row fades out at the edge, as far as there is more. */
export function Sideways({ children, viewportRef }: { children: ReactNode; viewportRef?: Ref<HTMLDivElement> }) {
  return (
    <ScrollArea type="auto" w="100%" offsetScrollbars="x" viewportRef={viewportRef} classNames={{ scrollbar: classes.bar!, content: classes.content!, viewport: classes.viewport! }}>
      {children}
    </ScrollArea>
  );
}
