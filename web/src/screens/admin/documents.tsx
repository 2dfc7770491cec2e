import { Button, Stack, Text } from "@mantine/core";
import { IconListSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { useAccount } from "../../api/account";
import { sentDocuments, sentStates, type SentDocument } from "../../api/admin";
import { useText } from "../../text";
import { StateBadge } from "../../ui/state";
import { About, Facts, Filtering, Find, Line, Lines, Only, useWhen, type SectionProps } from "./lines";

/** Documents lists the documents of an organisation that were sent, with what is recorded about each. Auditors open the record of a document, without its file. */
export function Documents(props: SectionProps) {
  const t = useText();
  const found = useQuery(sentDocuments(props.selection));
  return (
    <Stack>
      <Text size="sm" c="dimmed">{t("admin.documentsLead")}</Text>
      <Filtering>
        <Find {...props} label={t("admin.findTitle")} />
        <Find {...props} by="person" label={t("admin.ownerEmail")} />
        <Only {...props} label={t("list.status")} words={sentStates.map((s) => ({ value: s, label: t(`state.${s}`) }))} />
      </Filtering>
      <Lines {...props} of={found} items={(d) => d.documents} empty={t("admin.noDocuments")}>
        {(d) => <One key={d.document.id} item={d} showLog={() => props.change({ tab: "log", find: undefined, only: undefined, person: undefined, document: d.document.id })} />}
      </Lines>
    </Stack>
  );
}

function One({ item: d, showLog }: { item: SentDocument; showLog: () => void }) {
  const t = useText();
  const when = useWhen();
  const role = useAccount()?.role, operator = role === "operator";
  const signed = d.signer.filter((p) => p.signing_status).length;
  return (
    <Line title={<About document={d.document} opens={role === "auditor"} />} badge={<StateBadge state={d.status} />}
      end={<Button size="xs" variant="default" leftSection={<IconListSearch size={14} aria-hidden />} onClick={showLog} aria-label={`${t("admin.inLog")}: ${d.document.document_title ?? d.document.id}`}>{t("admin.inLog")}</Button>}>
      <Facts of={[`#${d.document.id}`, d.status_info, `${d.owner.name} <${d.owner.email}>`, operator && d.organisation.name, t("admin.sentAt", { when: when(d.finalized_at) }), d.ended_at && t("admin.endedAt", { when: when(d.ended_at) })]} />
      <Facts of={[d.signer.length > 0 && t("admin.documentPeople", { names: d.signer.map((p) => p.name || p.email || "?").join(", ") }), signed > 0 && t("admin.documentSigned", { count: signed }), d.serial_number.length > 0 && d.serial_number.join(", ")]} />
    </Line>
  );
}
