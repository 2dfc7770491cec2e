import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { verbs, type ListItem } from "../api/documents";
import { useText } from "../text";
import { Dialog } from "./dialog";
import { Trouble } from "./trouble";

/** RemoveDraft asks whether a draft is to be deleted, and deletes it. */
export function RemoveDraft({ draft, close, removed }: { draft: Pick<ListItem, "id" | "document_title"> | undefined; close: () => void; removed: (id: number) => void }) {
  const t = useText();
  const queries = useQueryClient();
  const remove = useMutation({ mutationFn: (id: number) => verbs.remove(id), onSuccess: (_, id) => { void queries.invalidateQueries(); removed(id); leave(); } });
  const leave = () => { remove.reset(); close(); };
  return (
    <Dialog opened={draft !== undefined} onClose={leave} title={t("document.remove")}>
      {draft && (
        <Stack>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>{t("list.removeLead", { title: draft.document_title })}</Text>
          {remove.isError && <Trouble error={remove.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={leave}>{t("close")}</Button>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate(draft.id)} data-autofocus>{t("document.remove")}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
