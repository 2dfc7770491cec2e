import { Alert, Anchor, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import type { Warning } from "../api/draft";
import { useText } from "../text";
import { findingsOf } from "./finding";

interface Props {
  warnings: Warning[] | undefined;
  /** Who sent the document, and may have accepted the findings. */
  sender: string;
}

/** Findings lists what readers of the file may not see or expect, and which findings the sender accepted. */
export function Findings({ warnings, sender }: Props) {
  const t = useText();
  const all = findingsOf(warnings);
  if (all.length === 0) return null;
  const grave = all.some((f) => f.must_accept);
  return (
    <Alert color={grave ? "orange" : "yellow"} variant="light" icon={<IconAlertTriangle aria-hidden />} title={t(grave ? "findings.grave" : "findings.title")} role="region" data-findings>
      <ul style={{ margin: 0, paddingInlineStart: "1.2em", overflowWrap: "anywhere" }}>
        {all.map((f, i) => (
          <li key={i}>
            <Text size="sm" component="span">{f.msg}</Text>
            {f.accepted && <Text size="sm" component="span" fw={600}> {t("findings.accepted", { name: sender })}</Text>}
            {f.page && <> <Anchor size="sm" c="inherit" underline="always" component="button" type="button" onClick={() => goTo(f.page!)}>{t("findings.show", { page: f.page })}</Anchor></>}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

function goTo(page: number) {
  window.document.querySelector(`[data-page="${page}"]`)?.scrollIntoView({ block: "start" });
}
