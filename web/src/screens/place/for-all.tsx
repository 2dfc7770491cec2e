import { Button, Checkbox, Group, NumberInput, Stack, Text } from "@mantine/core";
import { useState } from "react";

import { useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import type { Assignee } from "./assignees";
import { outOf } from "./go-to";

/** What is placed for all signers. */
export interface ForAll {
  /** Initials on every page. */
  initials: boolean;
  /** The page with everyone's signature. */
  signatures: number | undefined;
}

interface Props {
  opened: boolean;
  close: () => void;
  signers: Assignee[];
  /** The number of pages of the document. */
  pages: number;
  place: (all: ForAll) => void;
  /** The pages are being read. */
  busy: boolean;
}

/** PlaceForAll places what most contracts need at once: initials of all signers on every page, and their signatures on the last. */
export function PlaceForAll({ opened, close, signers, pages, place, busy }: Props) {
  const t = useText();
  return <Dialog opened={opened} onClose={close} title={t("place.forAllTitle", { count: signers.length })}>{opened && <Choice close={close} signers={signers} pages={pages} place={place} busy={busy} />}</Dialog>;
}

function Choice({ close, signers, pages, place, busy }: Omit<Props, "opened">) {
  const t = useText();
  const [initials, setInitials] = useState(pages > 1);
  const [signs, setSigns] = useState(true);
  const [page, setPage] = useState<number | string>(pages);
  const at = Number(page), valid = page !== "" && at >= 1 && at <= pages;
  const count = (initials ? signers.length * pages : 0) + (signs ? signers.length : 0);
  return (
    <Stack gap="sm" component="form" onSubmit={(e) => { e.preventDefault(); if (count > 0 && (valid || !signs)) place({ initials, signatures: signs ? at : undefined }); }}>
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>{signers.map((a) => a.name).join(", ")}</Text>
      <Checkbox label={t("place.forAllInitials", { count: pages })} checked={initials} onChange={(e) => setInitials(e.currentTarget.checked)} />
      <Group gap="sm" align="flex-start">
        <Checkbox mt={8} label={t("place.forAllSignatures")} checked={signs} onChange={(e) => setSigns(e.currentTarget.checked)} />
        <NumberInput w={120} size="sm" aria-label={t("place.forAllPage")} {...outOf(pages)} min={1} max={pages} allowDecimal={false} allowNegative={false} hideControls value={page} onChange={setPage} disabled={!signs} error={!valid && signs} />
      </Group>
      <Text size="xs" c="dimmed">{t("place.forAllHint")}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>{t("new.cancel")}</Button>
        <Button type="submit" loading={busy} disabled={count === 0 || (signs && !valid)} data-autofocus>{t("place.forAllPlace", { count })}</Button>
      </Group>
    </Stack>
  );
}
