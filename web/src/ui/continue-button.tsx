import { Button } from "@mantine/core";
import { useState } from "react";

import { useText } from "../text";
import type { Saver } from "./saver";

/**
 * ContinueButton stores what is left and goes on if everything was stored. It stays enabled while changes are being saved: a click
 * that begins before the button is disabled and ends afterwards would be lost. Before is called first, and says whether to go on.
 */
export function ContinueButton<T>({ saver, before, go, label }: { saver: Saver<T>; before?: () => boolean; go: () => void; label?: string | undefined }) {
  const t = useText();
  const [waiting, setWaiting] = useState(false);
  const press = async () => {
    if (before && !before()) return;
    setWaiting(true);
    const stored = await saver.flush();
    setWaiting(false);
    if (stored) go();
  };
  return <Button loading={waiting} onClick={() => void press()}>{label ?? t("new.next")}</Button>;
}
