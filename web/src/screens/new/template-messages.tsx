import { Group, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";

import type { Detail } from "../../api/documents";
import { useText } from "../../text";
import { ConflictNotice } from "../../ui/conflict";
import { ContinueButton } from "../../ui/continue-button";
import { Saved } from "../../ui/saved";
import { HowReached, type Delivery } from "./delivery";
import { useSavedDelivery } from "./saved-delivery";

/** TemplateMessages edits how the people of drafts from a template are reached. Changes are saved at once. */
export function TemplateMessages({ document: d }: { document: Detail }) {
  return d.delivery ? <Editor document={d} known={d.delivery} /> : null;
}

function Editor({ document: d, known }: { document: Detail; known: Delivery }) {
  const t = useText();
  const go = useNavigate();
  const { delivery, setDelivery, change, saver, versioned, refused } = useSavedDelivery(d, known);
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" style={{ flex: "1 1 14rem" }}>{t("template.messagesLead")}</Text>
        <Saved saver={saver} also={refused} />
      </Group>
      <ConflictNotice saver={saver} versioned={versioned} load={setDelivery} />
      {/* A role may be filled by a guest, and a draft may get a deadline. */}
      <HowReached value={delivery} onChange={change} guests expires />
      <Group justify="flex-end">
        <ContinueButton saver={saver} label={t("template.done")} go={() => void go({ to: "/templates", search: { page: 1, search: "" } })} />
      </Group>
    </Stack>
  );
}
