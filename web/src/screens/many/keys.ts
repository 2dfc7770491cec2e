/** What a key does while documents are read one after the other. */
export type Action = "next" | "previous" | "sign" | "keys";

const actions = new Map<string, Action>([["j", "next"], ["k", "previous"], ["s", "sign"], ["?", "keys"]]);

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "defaultPrevented" | "target">;

/** The action of a key press; none with a modifier, while a key is held down, while typing in a field, and in a dialog. */
export function actionOf(e: Press): Action | undefined {
  if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || e.defaultPrevented) return undefined;
  const at = e.target as { closest?: (selector: string) => unknown } | null;
  if (at?.closest?.("textarea, select, input:not([type=checkbox], [type=radio], [type=button]), [contenteditable=true], [role=dialog], [role=menu], [role=listbox]")) return undefined;
  return actions.get(e.key.toLowerCase());
}
