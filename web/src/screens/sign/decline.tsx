import { Button, Group, Stack, Text, Textarea, Title } from "@mantine/core";
import { useState } from "react";

import type { Detail } from "../../api/documents";
import { useText } from "../../text";
import { Trouble } from "../../ui/trouble";
import type { Answer } from "./answer";
import { EmbeddedProof, needsProof } from "./proof";

/** Decline takes the reason for which I do not sign. */
export function Decline({ document: d, answer, titled }: { document: Detail; answer: Answer; titled: boolean }) {
  const t = useText();
  const { reason, setReason, reject, setDeclining } = answer;
  const [tried, setTried] = useState(false);
  return (
    <Stack gap="sm">
      {!titled && <Title order={2} size="h5">{t("sign.decline")}</Title>}
      <Text size="sm">{t("sign.declineLead")}</Text>
      {d.participant?.group_members && <Text size="sm">{t("sign.declineGroup")}</Text>}
      <Textarea autoFocus data-autofocus label={t("document.reason")} required value={reason} onChange={(e) => setReason(e.currentTarget.value)} error={tried && reason.trim() === "" && t("sign.needReason")} autosize minRows={2} />
      <EmbeddedProof document={d.id} answer={answer} error={reject.error} />
      {reject.isError && <Trouble error={reject.error} />}
      <Group justify="space-between">
        <Button variant="default" onClick={() => setDeclining(false)}>{t("sign.back")}</Button>
        <Button color="red" loading={reject.isPending || reject.isSuccess} onClick={() => { setTried(true); if (reason.trim() !== "" && !(needsProof() && !answer.proof.password)) reject.mutate(); }}>{t("sign.decline")}</Button>
      </Group>
    </Stack>
  );
}
