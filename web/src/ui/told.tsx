import { Alert } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";

import { useText } from "../text";

/** What the service answered to the last action, for the screen that follows it. */
export interface Told {
  msg: string;
  /** Warnings about what was accepted. */
  notes: string[];
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    told?: Told;
  }
}

/** Told shows that answer until it is closed or the user leaves the screen. */
export function Told() {
  const t = useText();
  const { told, key } = useLocation({ select: ({ state }) => ({ told: state.told, key: state.__TSR_key }) });
  const [closed, close] = useState<string>();
  return (
    <div role="status">
      {told && closed !== key && (
        <Alert mb="md" maw={1100} mx="auto" variant="light" color={told.notes.length > 0 ? "yellow" : "seal"} icon={<IconCircleCheck aria-hidden />} title={told.msg} withCloseButton closeButtonLabel={t("close")} onClose={() => close(key)} data-told>
          {told.notes.length > 0 && <Notes of={told.notes} />}
        </Alert>
      )}
    </div>
  );
}

/** Notes lists sentences, each once. */
export function Notes({ of }: { of: string[] }) {
  return <ul style={{ margin: 0, paddingInlineStart: "1.2em", overflowWrap: "anywhere" }}>{[...new Set(of)].map((note) => <li key={note}>{note}</li>)}</ul>;
}
