import { Button, Group, Progress, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { verbs, type ListItem } from "../../api/documents";
import { useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { sentenceOf } from "../../ui/sentence";

interface Result {
  document: ListItem;
  /** Why it was refused; undefined: it was not. */
  refused?: string;
}

interface Props {
  what: "cancel" | "remind";
  documents: ListItem[];
  /** Closes the dialog after the last document. */
  close: () => void;
  /** Closes it without. */
  back: () => void;
}

/** ActOnMany cancels documents for one reason, or reminds of them, one after the other, and shows for which that was refused. */
export function ActOnMany({ what, documents, close, back }: Props) {
  const t = useText();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const [results, setResults] = useState<Result[]>([]);
  const act = useMutation({
    mutationFn: async () => {
      for (const document of documents) {
        const refused = await (what === "cancel" ? verbs.cancel(document.id, reason) : verbs.remind(document.id)).then(() => undefined, (error: unknown) => sentenceOf(t, error));
        setResults((all) => [...all, refused === undefined ? { document } : { document, refused }]);
      }
    },
    onSettled: () => void queries.invalidateQueries(),
  });
  const refused = results.filter((r) => r.refused !== undefined), done = results.length - refused.length;
  const leave = act.isPending ? () => undefined : act.isSuccess ? close : back;
  return (
    <Dialog opened onClose={leave} title={t(`list.${what}Many`)}>
      {act.isIdle ? (
        <Stack>
          <Text size="sm">{t(`list.${what}Lead`, { count: documents.length })}</Text>
          {what === "cancel" && <Textarea label={t("document.reason")} value={reason} onChange={(e) => setReason(e.currentTarget.value)} autosize minRows={2} data-autofocus />}
          <Group justify="flex-end">
            <Button variant="default" onClick={back}>{t("close")}</Button>
            <Button {...(what === "cancel" ? { color: "red" } : {})} onClick={() => act.mutate()}>{t(`list.${what}Many`)}</Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          {act.isPending && <Progress value={(100 * results.length) / documents.length} aria-label={t(`list.${what}Many`)} />}
          <Text size="sm" role="status">{t(what === "cancel" ? "list.canceled" : "list.reminded", { count: done, total: documents.length })}</Text>
          {refused.length > 0 && (
            <Stack gap={4}>
              <Text size="sm" fw={600}>{t(what === "cancel" ? "list.refused" : "list.notReminded", { count: refused.length })}</Text>
              <ul style={{ margin: 0, paddingInlineStart: "1.2em", overflowWrap: "anywhere" }}>
                {refused.map((r) => <li key={r.document.id}><Text size="sm"><b>{r.document.document_title}</b>: {r.refused}</Text></li>)}
              </ul>
            </Stack>
          )}
          <Group justify="flex-end"><Button variant="default" disabled={act.isPending} onClick={close}>{t("close")}</Button></Group>
        </Stack>
      )}
    </Dialog>
  );
}
