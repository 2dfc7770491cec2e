import { Anchor, Box, Button, Group, Paper, Stack, Text, Textarea, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";

import { useAccount } from "../../api/account";
import { detail, placements, verbs, type Detail, type Placement } from "../../api/documents";
import { address } from "../../api/files";
import { guest } from "../../api/guest";
import { keepSpecimen, specimen } from "../../api/specimen";
import { useProgress } from "../../api/events";
import type { PageSize } from "../../pdf/page";
import { Pages } from "../../pdf/pages";
import { useFile } from "../../pdf/use-file";
import { useText } from "../../text";
import { Download } from "../../ui/download";
import { Loading } from "../../ui/loading";
import { Steps } from "../../ui/steps";
import { Trouble } from "../../ui/trouble";
import { Look } from "./look";
import { revision } from "./revision";
import classes from "./sign.module.css";

/** Sign is where a member of the organisation reads and signs. */
export function Sign() {
  return <Signing id={Number(useParams({ from: "/member/document/$id/sign" }).id)} />;
}

/** Signing: read, then one sheet with what is asked of me, one signature, one confirmation. */
export function Signing({ id }: { id: number }) {
  const found = useQuery(detail(id));
  if (found.isPending) return <Loading />;
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  return <Reading document={found.data} />;
}

function Reading({ document: d }: { document: Detail }) {
  const t = useText();
  const boxes = useQuery(placements(d.id)).data ?? [];
  // Who reads is a participant; which one, his own boxes tell. A guest's token is good for him alone.
  const me = useAccount()?.id ?? guest.person();
  const mine = boxes.filter((b) => b.user_id === me && b.type !== "emet");
  const file = useFile({ url: address.preview(d.id) }, `${d.id} ${d.last_signed_at ?? ""} ${d.status}`);
  const live = useProgress(d.id, d.status === "processing");
  const overlay = useCallback((number: number, size: PageSize, scale: number) => <Marks boxes={mine.filter((b) => b.page === number)} size={size} scale={scale} />, [mine]);
  return (
    <Stack maw={1000} mx="auto" gap="md" className={classes.reading}>
      <div>
        <Title order={1} size="h3" style={{ overflowWrap: "anywhere" }}>{d.document_title}</Title>
        <Text size="sm" c="dimmed">{t("list.from", { name: d.owner.name })} · {d.status_info}</Text>
      </div>
      <Pages file={file} overlay={overlay} />
      <Paper className={classes.sheet} withBorder shadow="lg" p="md" component="section" aria-label={t("sign.asked")}>
        {d.is_sign ? <Asked document={d} boxes={mine} /> : (
          <Stack gap="sm">
            <Text fw={600} role="status">{d.description}</Text>
            <Steps steps={(live?.progress ?? d.progress)?.steps ?? []} own={d.is_owner ? d.id : undefined} />
            <Group>
              {d.active_download_button && <Download id={d.id} />}
              {!guest.token() && <Anchor component={Link} to="/document/$id" params={{ id: String(d.id) } as never} size="sm">{t("sign.details")}</Anchor>}
            </Group>
          </Stack>
        )}
      </Paper>
    </Stack>
  );
}

function Marks({ boxes, size, scale }: { boxes: Placement[]; size: PageSize; scale: number }) {
  const t = useText();
  return boxes.map((b, i) => (
    <Box key={i} className={classes.mark} style={{ left: b.box.llx * scale, top: (size.height - b.box.ury) * scale, width: (b.box.urx - b.box.llx) * scale, height: (b.box.ury - b.box.lly) * scale }}>
      {t(b.type === "paraf" ? "sign.initialsHere" : "sign.signHere")}
    </Box>
  ));
}

/** Asked says what is asked of me, and takes the answer. */
function Asked({ document: d, boxes }: { document: Detail; boxes: Placement[] }) {
  const t = useText();
  const account = useAccount();
  const queries = useQueryClient();
  const shown = useQuery(revision(d.id));
  const kept = useQuery({ ...specimen, enabled: !guest.token() });
  const picture = useRef<{ blob: Blob | null; remember: boolean }>({ blob: null, remember: false });
  const [declining, { open, close }] = useDisclosure();
  const sign = useMutation({
    mutationFn: async () => {
      const { blob, remember } = picture.current;
      await verbs.sign(d.id, shown.data ?? "", blob ? await base64(blob) : undefined);
      if (blob && remember && !guest.token()) await keepSpecimen(blob).catch(() => undefined); // signed is signed
    },
    onSettled: () => void queries.invalidateQueries(),
  });
  if (declining) return <Decline id={d.id} close={close} />;
  const visible = boxes.length > 0;
  const ready = shown.isSuccess && (guest.token() !== undefined || !kept.isPending);
  return (
    <Stack gap="sm">
      <div>
        <Title order={2} size="h5">{t("sign.asked")}</Title>
        <Text size="sm">{visible ? t("sign.places", { count: boxes.length, pages: [...new Set(boxes.map((b) => b.page))].join(", ") }) : t("sign.invisible")}</Text>
      </div>
      {visible && ready && <Look name={account?.fullname ?? guest.name() ?? ""} kept={kept.data ?? null} onChange={(blob, remember) => { picture.current = { blob, remember }; }} />}
      <Text size="xs" c="dimmed">{t("sign.means")}</Text>
      {shown.isError && <Trouble error={shown.error} retry={() => void shown.refetch()} />}
      {sign.isError && <Trouble error={sign.error} />}
      <Group justify="space-between">
        <Button variant="subtle" color="red" onClick={open}>{t("sign.decline")}</Button>
        <Button size="md" loading={sign.isPending} disabled={!ready} onClick={() => sign.mutate()}>{t("document.sign")}</Button>
      </Group>
    </Stack>
  );
}

function Decline({ id, close }: { id: number; close: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const [tried, setTried] = useState(false);
  const reject = useMutation({ mutationFn: () => verbs.reject(id, reason), onSuccess: () => void queries.invalidateQueries() });
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">{t("sign.decline")}</Title>
      <Text size="sm">{t("sign.declineLead")}</Text>
      <Textarea autoFocus label={t("document.reason")} required value={reason} onChange={(e) => setReason(e.currentTarget.value)} error={tried && reason.trim() === "" && t("sign.needReason")} autosize minRows={2} />
      {reject.isError && <Trouble error={reject.error} />}
      <Group justify="space-between">
        <Button variant="default" onClick={close}>{t("sign.back")}</Button>
        <Button color="red" loading={reject.isPending} onClick={() => { setTried(true); if (reason.trim() !== "") reject.mutate(); }}>{t("sign.decline")}</Button>
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
