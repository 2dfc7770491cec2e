import { Badge, Group, Paper, Stack, Text } from "@mantine/core";

import type { Box, ListItem } from "../../api/documents";
import { useLanguage, useText } from "../../text";
import { ButtonLink } from "../../ui/links";
import { People } from "../../ui/people";
import { StateBadge } from "../../ui/state";

/** Row is one document, with one button: what the caller can do now. */
export function Row({ document: d, box }: { document: ListItem; box: Box }) {
  const t = useText();
  const language = useLanguage();
  const look = { size: "xs", variant: "light", "aria-label": `${d.button_text}: ${d.document_title}` } as const;
  const due = d.expired ? new Date(String(d.expired)).toLocaleDateString(language, { dateStyle: "medium" }) : undefined;
  return (
    <Paper component="li" withBorder p="sm" data-document={d.id}>
      <Group justify="space-between" wrap="nowrap" gap="md" align="center">
        <Stack gap={4} miw={0} style={{ flex: 1 }}>
          <Text fw={600} truncate title={d.document_title}>{d.document_title}</Text>
          <Group gap="xs">
            <StateBadge state={d.status} />
            {d.specimen && <Badge variant="outline" color="yellow.9">{t("list.specimen")}</Badge>}
            <Text size="xs" c="dimmed">{box === "in" ? t("list.from", { name: d.owner.name }) + " · " : ""}{d.created_at}</Text>
            {due && d.status === "processing" && <Text size="xs" c={d.is_expired === "1" ? "red" : "dimmed"}>{d.is_expired === "1" ? t("list.expired") : t("list.deadline", { when: due })}</Text>}
          </Group>
          <div className="mantine-hidden-from-sm"><People people={d.data_signer} /></div>
        </Stack>
        <Group wrap="nowrap" gap="sm">
          <div className="mantine-visible-from-sm"><People people={d.data_signer} /></div>
          {box === "out" && d.status === "draft"
            ? <ButtonLink to="/new" search={{ document: d.id, step: "people" }} {...look}>{d.button_text}</ButtonLink>
            : <ButtonLink to="/document/$id" params={{ id: String(d.id) }} {...look}>{d.button_text}</ButtonLink>}
        </Group>
      </Group>
    </Paper>
  );
}
