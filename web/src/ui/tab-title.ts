import { useEffect } from "react";

import { useText } from "../text";

// The title of the tab: how many documents wait, the screen, and the name of the service.
const parts = { count: "", screen: "", app: "" };

function writeTitle(part: Partial<typeof parts>): void {
  Object.assign(parts, part);
  document.title = `${parts.count && `(${parts.count}) `}${parts.screen && `${parts.screen} – `}${parts.app}`;
}

/** useTabScreen names the screen in the title of the tab while the caller is shown. */
export function useTabScreen(screen: string): void {
  const t = useText();
  useEffect(() => writeTitle({ screen, app: t("app.name") }), [screen, t]);
  useEffect(() => () => writeTitle({ screen: "" }), []);
}

/** useTabCount writes a count in front of the title of the tab while the caller is shown; empty: none. */
export function useTabCount(count: string): void {
  const t = useText();
  useEffect(() => writeTitle({ count, app: t("app.name") }), [count, t]);
  useEffect(() => () => writeTitle({ count: "" }), []); // other screens do not count
}
