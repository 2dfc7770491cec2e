import { Badge } from "@mantine/core";

import type { State } from "../api/documents";
import { useText } from "../text";

const colours: Record<State, string> = { draft: "gray", processing: "blue", completed: "seal", rejected: "red", canceled: "gray", expired: "orange", failed: "red" };

/** StateBadge shows the state of a document. The word is sufficient; the colour is only an aid. */
export function StateBadge({ state }: { state: string }) {
  const t = useText();
  const s = state as State;
  return <Badge variant="outline" color={colours[s] ?? "gray"} style={{ flexShrink: 0 }}>{t(`state.${s}`)}</Badge>;
}
