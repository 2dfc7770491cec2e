import { Group, Stack, Text, Title } from "@mantine/core";
import { IconFileCertificate } from "@tabler/icons-react";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { useAccount } from "../../api/account";
import { noSearch } from "../../api/documents";
import { useText } from "../../text";
import { AnchorLink } from "../../ui/links";
import { LanguageMenu, SchemeButton } from "../../ui/preferences";
import { Exhibit } from "./exhibit";
import { LookUp, Pick } from "./pick";
import { Serial } from "./serial";

/** Verify needs no account: it reads a file locally first, and sends it for verification only on request. */
export function Verify() {
  const t = useText();
  const serial = useSearch({ from: "/verify" }).serial && asWritten();
  const account = useAccount();
  const [file, setFile] = useState<File>();
  const over = useDropAnywhere(setFile);
  return (
    <Stack p="md" gap="lg" maw={900} mx="auto">
      <Group component="header" justify="space-between" wrap="nowrap">
        <AnchorLink to={account ? "/inbox" : "/login"} search={account ? noSearch : { then: undefined }} underline="never" c="inherit">
          <Group gap="xs" wrap="nowrap">
            <IconFileCertificate aria-hidden color="var(--mantine-color-seal-6)" />
            <Text fw={700} size="lg">{t("app.name")}</Text>
          </Group>
        </AnchorLink>
        <Group gap={4} wrap="nowrap"><LanguageMenu /><SchemeButton /></Group>
      </Group>
      <Stack component="main" gap="lg">
        <div>
          <Title order={1} size="h2">{t("verify.title")}</Title>
          <Text c="dimmed">{t("verify.lead")}</Text>
        </div>
        {serial && <Serial serial={serial} />}
        {file ? <Exhibit key={`${file.name} ${file.size} ${file.lastModified}`} file={file} another={setFile} /> : (
          <>
            <Pick over={over} take={setFile} />
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
