import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { mail, mailMessage, noticeStates, retryMail, type Mail as Notice } from "../../api/admin";
import { useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Dialog } from "../../ui/dialog";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import { Facts, Filtering, Find, Line, Lines, Only, useWhen, type SectionProps } from "./lines";

const colours = { ordered: "blue", sent: "seal", kept: "orange", dropped: "gray", failed: "red" } as const;

/** Mail lists the messages to people, the newest first. Without a mail server an operator reads them here and passes them on. */
export function Mail(props: SectionProps) {
  const t = useText();
  const when = useWhen();
  const [read, setRead] = useState<Notice>();
  const found = useQuery(mail(props.selection));
  const again = useRetry();
  return (
    <Stack>
      {found.data && !found.data.mail_server && <Text size="sm" c="dimmed">{t("admin.noMailServer")}</Text>}
      <Filtering>
        <Only {...props} label={t("admin.mailStatus")} words={noticeStates.map((value) => ({ value, label: t(`notice.states.${value}`) }))} />
        <Find {...props} by="document" label={t("admin.documentNumber")} />
      </Filtering>
      {again.isError && <Trouble error={again.error} />}
      <Lines {...props} of={found} items={(d) => d.mail} empty={t("admin.noMail")}>
        {(n) => (
          <Line key={n.id} title={t(`notice.kinds.${n.notice.kind}`)} badge={<Badge variant="outline" color={colours[n.notice.status]}>{t(`notice.states.${n.notice.status}`)}</Badge>}
            end={(
              <Group gap="xs">
                {n.may_be_shown && n.notice.kind !== "code" && <Button size="xs" variant="default" onClick={() => setRead(n)}>{t("admin.readMail")}</Button>}
                {found.data?.channels.includes(n.notice.channel) && (n.notice.status === "failed" || n.notice.status === "kept") && <Button size="xs" variant="default" loading={again.isPending && again.variables === n.id} onClick={() => again.mutate(n.id)}>{t("admin.retryMail")}</Button>}
              </Group>
            )}>
            <Facts of={[when(n.notice.ordered_at), n.notice.channel !== "mail" && t(`notice.channels.${n.notice.channel}`), n.document_id ? t("admin.mailAbout", { id: n.document_id }) : t("admin.mailAboutAccount"), n.address, n.notice.tries > 0 && t("admin.mailTries", { count: n.notice.tries })]} />
            {n.notice.problem && <Facts of={[n.notice.problem]} />}
          </Line>
        )}
      </Lines>
      <Dialog opened={read !== undefined} onClose={() => setRead(undefined)} title={t("admin.readMail")}>{read && <Message id={read.id} />}</Dialog>
    </Stack>
  );
}

function useRetry() {
  const queries = useQueryClient();
  return useMutation({ mutationFn: retryMail, onSettled: () => void queries.invalidateQueries({ queryKey: ["admin"] }) });
}

/** Message shows what a message says, with its link, to be passed on. */
function Message({ id }: { id: string }) {
  const t = useText();
  const found = useQuery(mailMessage(id));
  if (found.isPending) return <Loading />;
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  const { to, subject, text, link } = found.data;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">{t("admin.mailHandedOut")}</Text>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>{to}</Text>
      {subject && <Text fw={600} style={{ overflowWrap: "anywhere" }}>{subject}</Text>}
      <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{text}</Text>
      <Group gap="xs" wrap="nowrap"><Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }} data-mailed-link>{link}</Text><Copy text={link} /></Group>
    </Stack>
  );
}
