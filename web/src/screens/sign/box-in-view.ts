import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import type { Tour } from "./tour";

/** Scrolls to the reader's first box as soon as pages are drawn, if the address asks for it (#box). */
export function useBoxInView(tour: Tour, drawn: boolean): void {
  const wanted = useLocation({ select: (l) => l.hash === "box" });
  const done = useRef(false);
  useEffect(() => {
    if (!wanted || !drawn || done.current) return;
    done.current = true;
    tour.next();
  });
}
