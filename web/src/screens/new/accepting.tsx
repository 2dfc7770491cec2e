import { Alert, Checkbox, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";

import { Problem } from "../../api/client";
import type { Detail } from "../../api/documents";
import { useText } from "../../text";
import { codesOf, findingsOf } from "../../ui/finding";
import { Notes } from "../../ui/told";

interface Found {
  code: string;
  msg: string;
}

type Accepted = ReturnType<typeof useAccepting>;

/** The findings in the file, and which of them the owner has accepted so far. */
export function useAccepting(d: Detail) {
  const found = findingsOf(d.warnings);
  // A file that was uploaded before files were examined is examined when it is sent.
  const [later, setLater] = useState<Found[]>([]);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const open: Found[] = [...found.filter((f) => f.must_accept), ...later];
  const key = (f: Found) => `${f.code} ${f.msg}`;
  return {
    open,
    told: found.filter((f) => !f.must_accept),
    has: (f: Found) => ticked.has(key(f)),
    tick: (f: Found, on: boolean) => setTicked((was) => { const next = new Set(was); if (on) next.add(key(f)); else next.delete(key(f)); return next; }),
    /** Whether nothing is left to accept. */
    all: open.every((f) => ticked.has(key(f))),
    codes: codesOf(open),
    refused: (error: unknown) => {
      if (error instanceof Problem && error.reason === "document.active_content") setLater(error.fields.filter((f) => !open.some((o) => o.code === f.code)));
    },
  };
}

/** Accepting asks the owner to accept each finding that is refused otherwise, before the document is sent. */
export function Accepting({ findings }: { findings: Accepted }) {
  const t = useText();
  return (
    <>
      {findings.open.length > 0 && (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t("findings.accept")} role="region">
          <Stack gap="xs">
            <Text size="sm">{t("findings.acceptLead")}</Text>
            {findings.open.map((f) => <Checkbox key={`${f.code} ${f.msg}`} label={t("findings.iAccept", { what: f.msg })} checked={findings.has(f)} onChange={(e) => findings.tick(f, e.currentTarget.checked)} />)}
          </Stack>
        </Alert>
      )}
      {findings.told.length > 0 && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t("findings.title")} role="region">
          <Notes of={findings.told.map((f) => f.msg)} />
        </Alert>
      )}
    </>
  );
}
