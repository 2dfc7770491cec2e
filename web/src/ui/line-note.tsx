import { Paper, Text } from "@mantine/core";
import { IconCloudOff } from "@tabler/icons-react";

import { useLine } from "../api/line";
import { useText } from "../text";
import classes from "./line-note.module.css";

/** LineNote says at the top of a screen that there is no connection, until a request succeeds. Screen readers announce it once. */
export function LineNote() {
  const t = useText();
  const { state } = useLine();
  return (
    <div role="status" className={classes.place}>
      {state !== "fine" && (
        <Paper withBorder shadow="sm" px="sm" py={6} className={classes.note} data-line={state}>
          <IconCloudOff size={18} aria-hidden style={{ flex: "none" }} />
          <Text size="sm">{t(state === "offline" ? "line.offline" : "line.away")}</Text>
        </Paper>
      )}
    </div>
  );
}
