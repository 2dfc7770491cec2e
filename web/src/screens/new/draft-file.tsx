import { Alert, Anchor, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";

import { Problem } from "../../api/client";
import { saveDescription } from "../../api/draft";
import { detail, type Detail, type Step } from "../../api/documents";
import { address } from "../../api/files";
import { useText } from "../../text";
import { ConflictNotice } from "../../ui/conflict";
import { ContinueButton } from "../../ui/continue-button";
import { AnchorLink } from "../../ui/links";
import { moment } from "../../ui/moment";
import { Saved } from "../../ui/saved";
import { useSaver } from "../../ui/saver";
import { Steps } from "../../ui/steps";
import { Versioned } from "../../ui/versioned";

interface Description {
  title: string;
  /** As the field holds it: local, to the minute; empty for none. */
  due: string;
}

const describe = (d: Detail): Description => ({ title: d.document_title, due: d.expired ? moment(new Date(d.expired)) : "" });

/** DraftFile shows the uploaded file and its state, and edits title and deadline. */
export function DraftFile({ document: d, conversion }: { document: Detail; conversion: Step | undefined }) {
  const t = useText();
  const go = useNavigate();
  const queries = useQueryClient();
  const [known] = useState(() => describe(d));
  const [said, setSaid] = useState(known);
  const touched = useRef(false); // an unchanged deadline keeps its seconds, and may have passed
  const [versioned] = useState(() => new Versioned<Description>({ version: d.version, value: known }, {
    save: ({ title, due }, from) => saveDescription(d.id, title, touched.current ? (due ? new Date(due).toISOString() : "") : undefined, from),
    read: async () => {
      const now = await queries.fetchQuery({ ...detail(d.id), staleTime: 0 });
      return { version: now.version, value: describe(now) };
    },
    same: (a, b) => a.title.trim() === b.title.trim() && a.due === b.due,
  }));
  const saver = useSaver(async (to: Description) => {
    await versioned.send(to);
    void queries.invalidateQueries({ queryKey: ["document", d.id] });
    void queries.invalidateQueries({ queryKey: ["documents"] });
  });
  const change = (to: Partial<Description>) => {
    const next = { ...said, ...to };
    touched.current ||= next.due !== known.due;
    setSaid(next);
    saver.change(next);
  };
  const problem = saver.error instanceof Problem ? saver.error : undefined;
  return (
    <Stack>
      <Group justify="flex-end"><Saved saver={saver} also={problem && problem.fields.length > 0 ? problem.fields.map((f) => f.msg).join(" ") : undefined} /></Group>
      <ConflictNotice saver={saver} versioned={versioned} load={setSaid} />
      <Paper withBorder p="md">
        <Stack gap="sm">
          <TextInput label={t("new.name")} required value={said.title} onChange={(e) => change({ title: e.currentTarget.value })} error={problem?.of("document_title")} maxLength={255} />
          {!d.template && <TextInput type="datetime-local" label={t("new.due")} description={t("new.dueHint")} value={said.due} min={moment(new Date())} onChange={(e) => change({ due: e.currentTarget.value })} error={problem?.of("expired_at")} maw={320} />}
          {conversion && <Steps steps={[conversion]} />}
          {(d.warnings ?? []).map((w) => <Alert key={w.code} color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}><Text size="sm">{w.msg}</Text></Alert>)}
          <Group gap="lg">
            <Anchor size="sm" href={address.original(d.id)}>{t("document.original")}</Anchor>
            {!d.template && <AnchorLink size="sm" to="/new" search={{ document: undefined, step: "file", instead: d.id }}>{t("new.another")}</AnchorLink>}
          </Group>
        </Stack>
      </Paper>
      <Group justify="flex-end">
        <ContinueButton saver={saver} go={() => void go({ to: "/new", search: { document: d.id, step: "people" } })} />
      </Group>
    </Stack>
  );
}
