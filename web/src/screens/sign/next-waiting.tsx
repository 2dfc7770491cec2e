import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { nextWaiting } from "../../api/documents";
import { useText } from "../../text";
import { ButtonLink } from "../../ui/links";

/** NextWaiting offers the next document that waits for me, after one was signed or declined. */
export function NextWaiting({ after }: { after: number }) {
  const t = useText();
  const found = useQuery(nextWaiting(after)).data;
  const next = found?.documents[0];
  if (!next || next.id === after) return null;
  const more = found.pagination.total_data - 1;
  return (
    <Group gap="xs" data-next={next.id}>
      <ButtonLink to="/document/$id/sign" params={{ id: String(next.id) }} hash="box" size="compact-md" maw="100%">{t("sign.nextDocument", { title: next.document_title })}</ButtonLink>
      {more > 0 && <Text size="xs" c="dimmed">{t("sign.moreWaiting", { count: more })}</Text>}
    </Group>
  );
}
