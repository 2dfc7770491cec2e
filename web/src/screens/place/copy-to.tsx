import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { balance } from "../../api/documents";
import { useLanguage, useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { pageRanges } from "../../ui/page-ranges";
import { useEditor } from "./context";
import { readPages, type Placed } from "./placements";

/** What one duty stamp costs, in rupiah (Undang-Undang 10/2020, Pasal 5). */
const stampPrice = 10_000;

interface Props {
  placed: Placed;
  /** The number of pages of the document. */
  pages: number;
  /** Copies the box to pages. */
  copy: (pages: number[]) => void;
}

/** CopyTo copies the selected box to other pages. Before it copies a duty stamp, it says what that costs. */
export function CopyTo({ placed: p, pages, copy }: Props) {
  const t = useText();
  const { announcement } = useEditor().state;
  const [text, setText] = useState(`1-${pages}`);
  const [asks, setAsks] = useState(false);
  const read = readPages(text, pages)?.filter((n) => n !== p.page);
  const press = () => {
    if (!read) return;
    if (p.kind === "emet" && read.length > 0) setAsks(true);
    else copy(read);
  };
  return (
    <>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput size="xs" style={{ flex: 1 }} label={t("place.copyTo")} value={text} onChange={(e) => setText(e.currentTarget.value)} error={read ? undefined : t("place.badPages", { pages })} />
        <Button size="xs" variant="default" leftSection={<IconCopy size={14} aria-hidden />} disabled={!read} onClick={press} mb={read ? 0 : 20}>{t("place.copy")}</Button>
      </Group>
      {announcement?.what === "copied" && (
        <Text size="xs" data-copied>
          {t("place.copied", { count: announcement.count })} {announcement.moved.length > 0 && t("place.copiedMoved", { pages: pageRanges(announcement.moved) })}
        </Text>
      )}
      <Dialog opened={asks} onClose={() => setAsks(false)} title={t("place.copyStamps", { count: read?.length ?? 0 })}>
        {asks && <Price count={read?.length ?? 0} cancel={() => setAsks(false)} accept={() => { setAsks(false); copy(read ?? []); }} />}
      </Dialog>
    </>
  );
}

function Price({ count, cancel, accept }: { count: number; cancel: () => void; accept: () => void }) {
  const t = useText(), language = useLanguage();
  const { placed } = useEditor().state;
  const quota = useQuery(balance);
  const rupiah = (n: number) => `Rp${n.toLocaleString(language === "id" ? "id-ID" : "en-GB").replaceAll(",", ".")}`;
  const total = placed.filter((p) => p.kind === "emet").length + count;
  const short = quota.data !== undefined && quota.data.emet < total;
  return (
    <Stack gap="sm">
      <Text size="sm">{t("place.stampsSpent", { count, each: rupiah(stampPrice), sum: rupiah(count * stampPrice) })}</Text>
      <Text size="sm">{t("place.stampsTotal", { count: total })} {t("place.stampsLeft", { left: quota.data ? quota.data.emet.toLocaleString(language) : "…" })}</Text>
      {short && <Text size="sm" role="alert" c="var(--mantine-color-error)">{t("new.short")}</Text>}
      <Group justify="flex-end">
        <Button variant="default" onClick={cancel}>{t("new.cancel")}</Button>
        <Button data-autofocus onClick={accept}>{t("place.copyStamps", { count })}</Button>
      </Group>
    </Stack>
  );
}
