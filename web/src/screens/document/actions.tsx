import { Button, Group, Menu, Stack, Textarea, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCopy, IconDots, IconPencil, IconRotate, IconSignature } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";

import { noSearch, people, verbs, type Detail } from "../../api/documents";
import { address } from "../../api/files";
import { loadAdminText, useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { Download } from "../../ui/download";
import { ButtonLink } from "../../ui/links";
import { RemoveDraft } from "../../ui/remove-draft";
import { Trouble } from "../../ui/trouble";

const FilingDialog = lazy(() => import("../../ui/filing").then((m) => ({ default: m.FilingDialog })));

const SaveTemplate = lazy(async () => ({ default: (await Promise.all([import("../../ui/save-template"), loadAdminText()]))[0].SaveTemplate }));

/** Actions is one button for what the caller can do now, and a menu of the rest. */
export function Actions({ document: d }: { document: Detail }) {
  const t = useText();
  const queries = useQueryClient();
  const go = useNavigate();
  const refresh = () => void queries.invalidateQueries();
  const restamp = useMutation({ mutationFn: (newSerial: boolean) => verbs.restamp(d.id, newSerial), onSuccess: refresh });
  const remind = useMutation({ mutationFn: () => verbs.remind(d.id), onSuccess: refresh });
  const copy = useMutation({
    mutationFn: () => verbs.copy(d.id),
    onSuccess: ({ document_id: document, signer }) => {
      const former = queries.getQueryData(people(d.id).queryKey) ?? [];
      const left = former.filter((p) => !p.is_guest && !signer.some((s) => s.id === p.user_id)).map((p) => p.name);
      refresh();
      void go({ to: "/new", search: { document, step: "people" }, state: { told: { msg: t("document.copied", { title: d.document_title }), notes: left.map((name) => t("document.leftOut", { name })) } } });
    },
  });
  const [removing, remove] = useDisclosure();
  const [canceling, cancel] = useDisclosure();
  const [saving, save] = useDisclosure();
  const [filing, setFiling] = useState<"labels" | "folder">();
  const [renewing, renew] = useDisclosure();
  const acts = d.is_owner || d.may_manage === true;
  const mine = d.is_owner || (d.participant !== null && d.status !== "draft"); // in my lists; else in that of the team alone
  const running = acts && d.status === "processing";
  const trouble = restamp.error ?? remind.error ?? copy.error;
  const corrects = acts && ["rejected", "canceled", "expired"].includes(d.status);
  return (
    <Stack gap="xs" align="flex-end">
      <Group gap="xs">
        {acts && d.status === "draft" && <ButtonLink to="/new" search={{ document: d.id, step: "people" }} leftSection={<IconPencil size={16} aria-hidden />}>{t("document.continue")}</ButtonLink>}
        {(d.is_sign || d.is_approve) && <ButtonLink to="/document/$id/sign" params={{ id: String(d.id) }} leftSection={<IconSignature size={16} aria-hidden />}>{t(d.is_approve ? "document.approve" : "document.sign")}</ButtonLink>}
        {d.active_download_button && <Download id={d.id} />}
        {d.active_download_button && !d.addresses_hidden && <Download id={d.id} file="evidence" />}
        {acts && d.status === "failed" && <Button onClick={() => restamp.mutate(false)} loading={restamp.isPending} disabled={!d.info_restamping.allowed_stamping} leftSection={<IconRotate size={16} aria-hidden />}>{t("document.restamp")}</Button>}
        {corrects && <Button onClick={() => copy.mutate()} loading={copy.isPending} leftSection={<IconCopy size={16} aria-hidden />}>{t("document.correct")}</Button>}
        <Menu position="bottom-end">
          <Menu.Target><Button variant="default" aria-label={t("document.more")}><IconDots size={16} aria-hidden /></Button></Menu.Target>
          <Menu.Dropdown>
            {!d.removed_at && <Menu.Item component="a" href={address.original(d.id)}>{t("document.original")}</Menu.Item>}
            {acts && d.status === "completed" && !d.removed_at && <Menu.Item disabled={copy.isPending} onClick={() => copy.mutate()}>{t("document.useAgain")}</Menu.Item>}
            {acts && d.status === "failed" && <Menu.Item disabled={!d.info_restamping.allowed_stamping} onClick={renew.open}>{t("document.newSerial")}</Menu.Item>}
            {acts && !d.removed_at && <Menu.Item onClick={save.open}>{t("document.asTemplate")}</Menu.Item>}
            {acts && !d.template && <Menu.Item onClick={() => setFiling("labels")}>{t("filing.setLabels")}</Menu.Item>}
            {!d.template && (mine || (acts && d.team)) && <Menu.Item onClick={() => setFiling("folder")}>{t("filing.setFolder")}</Menu.Item>}
            {running && <Menu.Item onClick={() => remind.mutate()}>{t("document.remind")}</Menu.Item>}
            {(running || (acts && d.status === "failed")) && <Menu.Item color="red" onClick={cancel.open}>{t("document.cancel")}</Menu.Item>}
            {d.is_owner && d.status === "draft" && <Menu.Item color="red" onClick={remove.open}>{t("document.remove")}</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
      </Group>
      {trouble && <Trouble error={trouble} />}
      <Text size="sm" role="status">{remind.isSuccess && t("document.reminded")}</Text>
      <Dialog opened={renewing} onClose={renew.close} title={t("document.newSerial")}>
        <Stack>
          <Text size="sm">{t("document.newSerialLead")}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={renew.close}>{t("close")}</Button>
            <Button onClick={() => { renew.close(); restamp.mutate(true); }}>{t("document.newSerial")}</Button>
          </Group>
        </Stack>
      </Dialog>
      {filing && <Suspense><FilingDialog what={filing} documents={[d]} team={mine ? undefined : d.team?.id} close={() => setFiling(undefined)} back={() => setFiling(undefined)} /></Suspense>}
      {saving && <Suspense><SaveTemplate document={d} close={save.close} /></Suspense>}
      <RemoveDraft draft={removing ? d : undefined} close={remove.close} removed={() => void go(d.template ? { to: "/templates", search: { page: 1, search: "" } } : { to: "/drafts", search: noSearch })} />
      <Cancel id={d.id} opened={canceling} close={cancel.close} />
    </Stack>
  );
}

function Cancel({ id, opened, close }: { id: number; opened: boolean; close: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const cancel = useMutation({ mutationFn: () => verbs.cancel(id, reason), onSuccess: () => { void queries.invalidateQueries(); close(); } });
  return (
    <Dialog opened={opened} onClose={close} title={t("document.cancel")}>
      <Stack>
        <Text size="sm">{t("document.cancelLead")}</Text>
        <Textarea label={t("document.reason")} value={reason} onChange={(e) => setReason(e.currentTarget.value)} autosize minRows={2} data-autofocus />
        {cancel.isError && <Trouble error={cancel.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("close")}</Button>
          <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>{t("document.cancel")}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
