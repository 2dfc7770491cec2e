import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { verbs, type Person } from "../../api/documents";
import { useLanguage, useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Dialog } from "../../ui/dialog";
import { Trouble } from "../../ui/trouble";

interface Props {
  document: number;
  person: Person;
  /** The document was declined, canceled or has expired: links can only be revoked. */
  ended: boolean;
}

/** GuestLink creates, replaces and revokes the link of a guest. Before a link is replaced it says that the former one stops working. */
export function GuestLink({ document: id, person: p, ended }: Props) {
  const t = useText();
  const language = useLanguage();
  const queries = useQueryClient();
  const [replacing, replace] = useDisclosure();
  const onSettled = () => void queries.invalidateQueries({ queryKey: ["document", id, "people"] });
  const link = useMutation({ mutationFn: () => verbs.guestLink(id, p.user_id), onSettled });
  const revoke = useMutation({ mutationFn: () => verbs.revokeGuestLink(id, p.user_id), onSuccess: () => link.reset(), onSettled });
  const make = () => {
    replace.close();
    revoke.reset();
    link.mutate();
  };
  const since = p.link_created_at && new Date(p.link_created_at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  return (
    <Stack gap={4} mt={4}>
      {link.data && <Group gap={6} wrap="nowrap"><Anchor size="xs" href={link.data} truncate maw={220}>{link.data}</Anchor><Copy text={link.data} /></Group>}
      {since && <Text size="xs" c="dimmed">{t("document.linkSince", { when: since })}</Text>}
      <Group gap={6}>
        {!ended && <Button size="compact-sm" variant="default" loading={link.isPending} onClick={since ? replace.open : make}>{t(since ? "document.replaceLink" : "document.makeLink")}</Button>}
        {since && <Button size="compact-sm" variant="subtle" color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>{t("document.revokeLink")}</Button>}
      </Group>
      {!ended && <Text size="xs" c="dimmed">{t("document.linkHint")}</Text>}
      <Text size="xs" role="status">{revoke.isSuccess && t("document.linkRevoked")}</Text>
      {link.isError && <Trouble error={link.error} />}
      {revoke.isError && <Trouble error={revoke.error} />}
      <Dialog opened={replacing} onClose={replace.close} title={t("document.replaceLink")}>
        <Stack>
          <Text size="sm">{t("document.replaceLinkLead", { name: p.name })}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={replace.close}>{t("close")}</Button>
            <Button onClick={make}>{t("document.replaceLink")}</Button>
          </Group>
        </Stack>
      </Dialog>
    </Stack>
  );
}
