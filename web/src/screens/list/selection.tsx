import { Button, CloseButton, Group, Paper, Text } from "@mantine/core";
import { IconDownload, IconFolder, IconTag, IconWritingSign } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";

import { useAccount } from "../../api/account";
import { waitsFor, type ListItem } from "../../api/documents";
import { address, maxArchived } from "../../api/files";
import { useLanguage, useText } from "../../text";
import { ButtonLink } from "../../ui/links";
import classes from "./list.module.css";

const FilingDialog = lazy(() => import("../../ui/filing").then((m) => ({ default: m.FilingDialog })));
const ActOnMany = lazy(() => import("./act-on-many").then((m) => ({ default: m.ActOnMany })));

interface Props {
  documents: ListItem[];
  /** Whether I own them, or act for their owners. */
  owned: boolean;
  /** Whether I may put them into folders. */
  files: boolean;
  /** The team whose list has them; missing: they are in mine. */
  team?: string | undefined;
  clear: () => void;
}

/** Selection shows how many documents are selected, at least one, and what can be done with them together. */
export function Selection({ documents, owned, files, team, clear }: Props) {
  const t = useText();
  const language = useLanguage();
  // The dialog keeps what it was opened with: its results stay when the list changes.
  const [acting, setActing] = useState<{ what: "cancel" | "remind"; documents: ListItem[] }>();
  const [filing, setFiling] = useState<{ what: "labels" | "folder"; documents: ListItem[] }>();
  const finished = documents.filter((d) => d.status === "completed" && !d.removed);
  const ended = (d: ListItem) => d.status !== "processing" && d.status !== "failed";
  const waiting = documents.filter((d) => d.data_signer.some((p) => p.is_signing));
  const running = documents.filter((d) => !ended(d));
  const left = documents.length - finished.length;
  const me = useAccount()?.id;
  const mine = documents.filter((d) => waitsFor(d, me));
  return (
    <>
      <Paper component="section" aria-label={t("list.selection")} className={classes.bar!} withBorder shadow="md" p="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
          <Group gap="sm">
            <Text fw={600} size="sm">{t("list.selected", { count: documents.length })}</Text>
            {mine.length > 0 && <ButtonLink to="/sign-many" search={{ ids: mine.map((d) => d.id).join(","), page: 1 }} size="xs" leftSection={<IconWritingSign size={16} aria-hidden />}>{t("list.signMany", { count: mine.length })}</ButtonLink>}
            {finished.length > 0 && documents.length <= maxArchived && (
              <Button component="a" size="xs" variant="light" href={address.archive(documents.map((d) => d.id), language)} download leftSection={<IconDownload size={16} aria-hidden />}>{t("list.downloadZip")}</Button>
            )}
            {owned && <Button size="xs" variant="light" leftSection={<IconTag size={16} aria-hidden />} onClick={() => setFiling({ what: "labels", documents })}>{t("filing.setLabels")}</Button>}
            {files && <Button size="xs" variant="light" leftSection={<IconFolder size={16} aria-hidden />} onClick={() => setFiling({ what: "folder", documents })}>{t("filing.setFolder")}</Button>}
            {owned && running.length > 0 && <Button size="xs" variant="light" color="red" onClick={() => setActing({ what: "cancel", documents })}>{t("list.cancelMany")}</Button>}
            {owned && waiting.length > 0 && <Button size="xs" variant="light" onClick={() => setActing({ what: "remind", documents: waiting })}>{t("list.remindMany")}</Button>}
            <Text size="xs" c="dimmed">
              {documents.length > maxArchived ? t("list.tooManyZip", { count: maxArchived }) : documents.every((d) => d.status === "draft") ? "" : finished.length === 0 ? t("list.noneFinished") : left > 0 ? t("list.someFinished", { count: finished.length, total: documents.length }) : ""}
            </Text>
          </Group>
          <CloseButton onClick={clear} aria-label={t("list.clearSelection")} />
        </Group>
      </Paper>
      {acting && <Suspense><ActOnMany {...acting} close={() => { setActing(undefined); clear(); }} back={() => setActing(undefined)} /></Suspense>}
      {filing && <Suspense><FilingDialog {...filing} team={team} close={() => { setFiling(undefined); clear(); }} back={() => setFiling(undefined)} /></Suspense>}
    </>
  );
}
