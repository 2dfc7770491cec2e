import { Alert, Group, Stack, Text } from "@mantine/core";
import { IconQrcode } from "@tabler/icons-react";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { useAccount } from "../../api/account";
import { noSearch } from "../../api/documents";
import { useText } from "../../text";
import { useTooLarge } from "../../ui/limits";
import { LineNote } from "../../ui/line-note";
import { AnchorLink } from "../../ui/links";
import { Mark } from "../../ui/mark";
import { LanguageMenu, SchemeButton } from "../../ui/preferences";
import { ScreenTitle } from "../../ui/screen-title";
import { SkipLink } from "../../ui/skip-link";
import { CheckedFile } from "./checked-file";
import { LookUp, Pick } from "./pick";
import { Serial } from "./serial";

/** Verify needs no account: it reads a file locally first, and sends it for verification only on request. */
export function Verify() {
  const t = useText();
  const serial = useSearch({ from: "/verify" }).serial && asWritten();
  const { document: scanned } = useSearch({ from: "/verify" });
  const account = useAccount();
  const [chosen, setFile] = useState<File>();
  const tooLarge = useTooLarge();
  const refused = chosen && tooLarge(chosen) ? chosen : undefined;
  const file = refused ? undefined : chosen;
  const over = useDropAnywhere(setFile);
  return (
    <Stack p="md" gap="lg" maw={900} mx="auto">
      <SkipLink />
      <Group component="header" justify="space-between" wrap="nowrap">
        <AnchorLink to={account ? "/inbox" : "/login"} search={account ? noSearch : { then: undefined }} underline="never" c="inherit">
          <Group gap="xs" wrap="nowrap">
            <Mark />
            <Text fw={700} size="lg">{t("app.name")}</Text>
          </Group>
        </AnchorLink>
        <Group gap={4} wrap="nowrap"><LanguageMenu /><SchemeButton /></Group>
      </Group>
      <Stack component="main" id="main" tabIndex={-1} gap="lg">
        <LineNote />
        <div>
          <ScreenTitle size="h2">{t("verify.title")}</ScreenTitle>
          <Text c="dimmed">{t("verify.lead")}</Text>
        </div>
        {scanned && !file && <Alert color="seal" variant="light" icon={<IconQrcode aria-hidden />} title={t("verify.scanned", { document: scanned })} role="note">{t("verify.scannedHint")}</Alert>}
        {serial && <Serial serial={serial} />}
        {file ? <CheckedFile key={`${file.name} ${file.size} ${file.lastModified}`} file={file} another={setFile} /> : (
          <>
            <Pick over={over} take={setFile} refused={refused} />
            <LookUp key={serial} serial={serial} />
          </>
        )}
      </Stack>
    </Stack>
  );
}

/** The serial as a string: as a number, one of digits alone, or with an E among them, would lose digits. */
const asWritten = () => new URLSearchParams(location.search).get("serial")?.replace(/^"(.*)"$/, "$1");

/** Takes a file dropped anywhere on the screen, and reports whether one is dragged over it. */
function useDropAnywhere(take: (file: File) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const move = (e: DragEvent) => {
      if (!e.dataTransfer?.types.includes("Files")) return;
      e.preventDefault();
      setOver(true);
    };
    const leave = (e: DragEvent) => { if (e.relatedTarget === null) setOver(false); };
    const drop = (e: DragEvent) => {
      e.preventDefault();
      setOver(false);
      const file = e.dataTransfer?.files[0];
      if (file) take(file);
    };
    window.addEventListener("dragover", move);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", move);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, [take]);
  return over;
}
