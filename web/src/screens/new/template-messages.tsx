import { Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { Problem } from "../../api/client";
import { saveDelivery } from "../../api/draft";
import { detail, type Detail } from "../../api/documents";
import { useText } from "../../text";
import { ConflictNotice } from "../../ui/conflict";
import { ContinueButton } from "../../ui/continue-button";
import { Saved } from "../../ui/saved";
import { useSaver } from "../../ui/saver";
import { Versioned } from "../../ui/versioned";
import { HowReached, type Delivery } from "./delivery";

/** TemplateMessages edits how the people of drafts from a template are reached. Changes are saved at once. */
export function TemplateMessages({ document: d }: { document: Detail }) {
  return d.delivery ? <Editor document={d} known={d.delivery} /> : null;
}

function Editor({ document: d, known }: { document: Detail; known: Delivery }) {
  const t = useText();
  const go = useNavigate();
  const queries = useQueryClient();
  const [delivery, setDelivery] = useState(known);
  const [versioned] = useState(() => new Versioned<Delivery>({ version: d.version, value: known }, {
    save: (to, from) => saveDelivery(d.id, to, from),
    read: async () => {
      const now = await queries.fetchQuery({ ...detail(d.id), staleTime: 0 });
      return { version: now.version, value: now.delivery ?? known };
    },
    same: (a, b) => JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b)),
  }));
  const saver = useSaver(async (to: Delivery) => {
    await versioned.send(to);
    void queries.invalidateQueries({ queryKey: ["document", d.id] });
    void queries.invalidateQueries({ queryKey: ["documents"] });
  });
  const change = (to: Delivery) => {
    setDelivery(to);
    saver.change(to);
  };
  const problem = saver.error instanceof Problem ? saver.error : undefined;
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" style={{ flex: "1 1 14rem" }}>{t("template.messagesLead")}</Text>
        <Saved saver={saver} also={problem && problem.fields.length > 0 ? problem.fields.map((f) => f.msg).join(" ") : undefined} />
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

/** The members of a delivery in one order, so that two can be compared. */
const inOrder = ({ message, messages, attach, guest_code, delegation, hide_addresses, remind: { after, every, before } }: Delivery) => [message, messages, attach, guest_code, delegation, hide_addresses, after, every, before];
