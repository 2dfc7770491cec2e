import { Button, FileButton, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconFileSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { useText } from "../../text";
import { Limits, TooLarge } from "../../ui/limits";
import classes from "./verify.module.css";

export const accepted = ".pdf,application/pdf";

/** Pick is the state without a file. */
export function Pick({ over, take, refused }: { over: boolean; take: (file: File) => void; refused: File | undefined }) {
  const t = useText();
  return (
    <Stack className={classes.drop} data-over={over} align="center" gap="sm">
      <IconFileSearch size={36} aria-hidden />
      <Text fw={600} ta="center">{t("verify.drop")}</Text>
      <Text size="sm" c="dimmed" ta="center">{t("verify.private")}</Text>
      <Limits />
      {refused && <TooLarge file={refused} />}
      <FileButton onChange={(f) => f && take(f)} accept={accepted}>{(props) => <Button {...props} size="md">{t("verify.choose")}</Button>}</FileButton>
    </Stack>
  );
}

/** LookUp asks for the serial of a duty stamp, for users who have it in print and cannot scan its QR code. */
export function LookUp({ serial }: { serial: string | undefined }) {
  const t = useText();
  const go = useNavigate();
  const [typed, setTyped] = useState(serial ?? "");
  const wanted = typed.trim();
  return (
    <form onSubmit={(e) => { e.preventDefault(); if (wanted !== "") void go({ to: "/verify", search: { serial: wanted } }); }}>
      <Group align="flex-end" gap="sm">
        <TextInput label={t("verify.bySerial")} value={typed} onChange={(e) => setTyped(e.currentTarget.value)} spellCheck={false} autoComplete="off" maxLength={64} style={{ flex: "1 1 14rem" }} />
        <Button type="submit" variant="default">{t("verify.lookUp")}</Button>
      </Group>
    </form>
  );
}
