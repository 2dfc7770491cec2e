import { useEffect, type RefObject } from "react";

/** So long a dialog that closes may take to return the focus to what opened it, in milliseconds. */
const grace = 100;

/** useLostFocus moves the focus to the heading of a screen when the control that had it is removed, as with the row that it deleted. */
export function useLostFocus(heading: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const main = heading.current?.closest("main");
    if (!main) return;
    let last: Element | undefined, timer: ReturnType<typeof setTimeout> | undefined;
    const remember = (e: FocusEvent) => { last = e.target as Element; };
    const isLost = () => last !== undefined && !last.isConnected && document.activeElement === document.body;
    const watch = new MutationObserver(() => {
      if (timer !== undefined || !isLost()) return;
      timer = setTimeout(() => {
        timer = undefined;
        if (isLost()) heading.current?.focus({ preventScroll: true });
      }, grace);
    });
    document.addEventListener("focusin", remember);
    watch.observe(main, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", remember);
      watch.disconnect();
      clearTimeout(timer);
    };
  }, [heading]);
}
