import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { draftDetail } from "../../api/draft";
import type { Detail } from "../../api/documents";
import { useText } from "../../text";
import { ConflictNotice } from "../../ui/conflict";
import { ContinueButton } from "../../ui/continue-button";
import { Loading } from "../../ui/loading";
import { Saved } from "../../ui/saved";
import { Trouble } from "../../ui/trouble";
import { HowReached, type Delivery } from "./delivery";
import { useSavedDelivery } from "./saved-delivery";

/** TemplateMessages edits how the people of drafts from a template are reached. Changes are saved at once. */
export function TemplateMessages({ document: d }: { document: Detail }) {
  const stored = useQuery(draftDetail(d.id));
  if (stored.isError) return <Trouble error={stored.error} retry={() => void stored.refetch()} />;
  if (!stored.isFetchedAfterMount) return <Loading />;
  return stored.data?.delivery ? <Editor document={stored.data} known={stored.data.delivery} /> : null;
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
