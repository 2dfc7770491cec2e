import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Dialog } from "../../ui/dialog";
import { Trouble } from "../../ui/trouble";

/** Runs a change, after which everything of administration is read again. */
export function useChange<T = void>(act: (input: T) => Promise<unknown>, done?: () => void) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: act, onSuccess: () => { done?.(); return queries.invalidateQueries({ queryKey: ["admin"] }); } });
}

/** Confirm asks before a change. */
export function Confirm({ opened, title, text, act, close }: { opened: boolean; title: string; text: string; act: () => Promise<unknown>; close: () => void }) {
  const t = useText();
  const run = useChange(act, close);
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        {run.isError && <Trouble error={run.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("provider.cancel")}</Button>
          <Button color="red" loading={run.isPending} onClick={() => run.mutate()}>{title}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Copied is a text that is to be copied elsewhere. */
export function Copied({ label, text }: { label: string; text: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" mt={6}>
      <Text size="sm" component="div" style={{ minWidth: 0 }}>{label}<br /><Code style={{ overflowWrap: "anywhere" }}>{text}</Code></Text>
      <Copy text={text} />
    </Group>
  );
}
