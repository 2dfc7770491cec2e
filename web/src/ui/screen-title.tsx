import { Title, type TitleProps } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef, type RefObject } from "react";

import { useLostFocus } from "./lost-focus";
import { useTabScreen } from "./tab-title";

interface Props extends Omit<TitleProps, "children" | "order"> {
  children: string;
  /** What the tab is named; by default as the heading. */
  tab?: string;
  /** Which of the screens it is that have the same path. */
  at?: string;
}

/** ScreenTitle is the heading of a screen. It names the tab, and takes the focus when the app shows the screen in place of another one. */
export function ScreenTitle({ children, tab = children, at = "", ...rest }: Props) {
  useTabScreen(tab);
  const heading = useFocusOnArrival(at);
  useLostFocus(heading);
  return <Title order={1} size="h3" {...rest} ref={heading} tabIndex={-1} data-screen-title>{children}</Title>;
}

/** Whether a screen was shown since the page was loaded. Of a new page, the browser tells the title itself. */
let shown = false;

/**
 * useFocusOnArrival returns a ref for an element that takes the focus when a screen is shown in place of another one: a screen reader reads
 * it, and Tab goes on from there. A dialog or a field that has the focus keeps it.
 */
function useFocusOnArrival(at: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useLocation({ select: (l) => l.pathname });
  useEffect(() => {
    if (!shown) {
      shown = true;
      return;
    }
    const focused = document.activeElement;
    if (focused?.closest("[role=dialog]") || focused?.matches("main input, main textarea")) return;
    heading.current?.focus({ preventScroll: true });
  }, [path, at]);
  return heading;
}
