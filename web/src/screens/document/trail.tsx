import { Collapse, Stack, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { trail } from "../../api/documents";
import { useLanguage, useText } from "../../text";
import { Trouble } from "../../ui/trouble";

/** Trail is the history of a document, oldest first. It is fetched when it is opened. */
export function Trail({ id }: { id: number }) {
  const t = useText();
  const language = useLanguage();
  const [open, { toggle }] = useDisclosure();
  const found = useQuery({ ...trail(id), enabled: open });
  return (
    <Stack gap="xs" component="section">
      <UnstyledButton onClick={toggle} aria-expanded={open} fw={600} fz="sm">
        {open ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />} {t("document.trail")}
      </UnstyledButton>
      <Collapse expanded={open}>
        {found.isError && <Trouble error={found.error} />}
        <Stack component="ol" gap={6} p={0} m={0} style={{ listStyle: "none" }}>
          {(found.data ?? []).map((e, i) => (
            <li key={i}>
              <Text size="sm">{e.description}</Text>
              <Text size="xs" c="dimmed">{new Date(e.dateTime).toLocaleString(language, { dateStyle: "medium", timeStyle: "medium" })}{e.name && ` · ${e.name}`}{e.ipAddress && ` · ${e.ipAddress}`}</Text>
            </li>
          ))}
        </Stack>
      </Collapse>
    </Stack>
  );
}
