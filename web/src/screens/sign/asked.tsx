import { Button, Group, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { useAccount } from "../../api/account";
import { verbs, type Detail, type Placement } from "../../api/documents";
import { guest } from "../../api/guest";
import { keepSpecimen, specimen } from "../../api/specimen";
import { useText } from "../../text";
import { Trouble } from "../../ui/trouble";
import { Look } from "./look";
import { revision } from "./revision";

/** What is asked of me, in a sentence. */
export function useAsked(boxes: Placement[]): string {
  const t = useText();
  const pages = [...new Set(boxes.map((b) => b.page))].join(", ");
  if (boxes.length === 0) return t("sign.invisible");
  return boxes.length === 1 ? t("sign.place", { pages }) : t("sign.places", { count: boxes.length, pages });
}

interface Props {
  document: Detail;
  /** Where my signature will be seen. */
  boxes: Placement[];
  /** Whether the sheet that this stands on has the title. */
  titled?: boolean;
  declining: boolean;
  setDeclining: (declining: boolean) => void;
}

/** Asked says what is asked of me, and takes the answer: one signature, one confirmation. */
export function Asked({ document: d, boxes, titled = false, declining, setDeclining }: Props) {
  const t = useText();
  const asked = useAsked(boxes);
  const account = useAccount();
  const queries = useQueryClient();
  const shown = useQuery(revision(d.id));
  const kept = useQuery({ ...specimen, enabled: !guest.token() });
  const picture = useRef<{ blob: Blob | null; remember: boolean }>({ blob: null, remember: false });
  const sign = useMutation({
    mutationFn: async () => {
      const { blob, remember } = picture.current;
      await verbs.sign(d.id, shown.data ?? "", blob ? await base64(blob) : undefined);
      if (blob && remember && !guest.token()) await keepSpecimen(blob).catch(() => undefined); // signed is signed
    },
    onSettled: () => void queries.invalidateQueries(),
  });
  if (declining) return <Decline id={d.id} titled={titled} close={() => setDeclining(false)} />;
  const ready = shown.isSuccess && (guest.token() !== undefined || !kept.isPending);
  return (
    <Stack gap="sm">
      <div>
        {!titled && <Title order={2} size="h5">{t("sign.asked")}</Title>}
        <Text size="sm">{asked}</Text>
      </div>
      {boxes.length > 0 && ready && <Look name={account?.fullname ?? guest.name() ?? ""} kept={kept.data ?? null} keeps={!guest.token()} onChange={(blob, remember) => { picture.current = { blob, remember }; }} />}
      <Text size="xs" c="dimmed">{t("sign.means")}</Text>
      {shown.isError && <Trouble error={shown.error} retry={() => void shown.refetch()} />}
      {sign.isError && <Trouble error={sign.error} />}
      <Group justify="space-between">
        <Button variant="subtle" color="red" onClick={() => setDeclining(true)}>{t("sign.decline")}</Button>
        <Button size="md" loading={sign.isPending || sign.isSuccess} disabled={!ready} onClick={() => sign.mutate()}>{t("document.sign")}</Button>
      </Group>
    </Stack>
  );
}

function Decline({ id, titled, close }: { id: number; titled: boolean; close: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const [tried, setTried] = useState(false);
  const reject = useMutation({ mutationFn: () => verbs.reject(id, reason), onSettled: () => void queries.invalidateQueries() });
  return (
    <Stack gap="sm">
      {!titled && <Title order={2} size="h5">{t("sign.decline")}</Title>}
      <Text size="sm">{t("sign.declineLead")}</Text>
      <Textarea autoFocus data-autofocus label={t("document.reason")} required value={reason} onChange={(e) => setReason(e.currentTarget.value)} error={tried && reason.trim() === "" && t("sign.needReason")} autosize minRows={2} />
      {reject.isError && <Trouble error={reject.error} />}
      <Group justify="space-between">
        <Button variant="default" onClick={close}>{t("sign.back")}</Button>
        <Button color="red" loading={reject.isPending || reject.isSuccess} onClick={() => { setTried(true); if (reason.trim() !== "") reject.mutate(); }}>{t("sign.decline")}</Button>
      </Group>
    </Stack>
  );
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
