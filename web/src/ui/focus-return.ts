import { useEffect, useState } from "react";

/** The control that had the focus last. The item of a menu goes with its menu, so the button of the menu stands for it. */
let last: HTMLElement | null = null;

document.addEventListener("focusin", (e) => {
  const focused = e.target as HTMLElement;
  const button = focused.closest("[role=menu]")?.getAttribute("aria-labelledby");
  last = button ? document.getElementById(button) : focused;
});

/**
 * useFocusReturn returns the focus to the control that opened a dialog when the dialog is removed while it has the focus. Mantine does so only for
 * dialogs that are closed and stay rendered.
 */
export function useFocusReturn(): void {
  const [opener] = useState(last);
  useEffect(() => () => {
    if (document.activeElement === document.body && opener?.isConnected) opener.focus({ preventScroll: true });
  }, [opener]);
}
