import { Checkbox, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { consent, type Accepted } from "../../api/consent";
import { useLanguage, useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import classes from "./sign.module.css";

export type Consenting = ReturnType<typeof useConsent>;

/** The consent text of a document, and whether I accept it. An acceptance is one of the version and the language that are shown. */
export function useConsent(id: number, asks: boolean) {
  const language = useLanguage();
  const found = useQuery({ ...consent(id), enabled: asks });
  const [agreed, setAgreed] = useState<string>();
  const shown = found.data && { ...found.data.texts[language], version: found.data.version, before: found.data.accepted_at };
  const accepted: Accepted | undefined = shown && (shown.before !== null || agreed === shown.digest) ? { version: shown.version, digest: shown.digest } : undefined;
  return { found, shown, accepted, agree: (yes: boolean) => setAgreed(yes ? shown?.digest : undefined) };
}

/** Consent shows the text and takes the acceptance, once: those who accepted this version before may read it again. */
export function Consent({ consenting: { found, shown, accepted, agree } }: { consenting: Consenting }) {
  const t = useText();
  const language = useLanguage();
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!shown) return <Loading />;
  const text = (
    <details className={classes.consent}>
      <summary>{t("consent.read")}</summary>
      <Text size="sm" component="div" style={{ whiteSpace: "pre-line" }} tabIndex={0} role="region" aria-label={t("consent.title")}>{shown.text}</Text>
    </details>
  );
  return (
    <Stack gap={4} data-consent={shown.version}>
      {shown.before === null
        ? <Checkbox checked={accepted !== undefined} onChange={(e) => agree(e.currentTarget.checked)} label={t("consent.accept")} />
        : <Text size="xs" c="dimmed">{t("consent.before", { date: new Date(shown.before).toLocaleDateString(language, { dateStyle: "medium" }) })}</Text>}
      {text}
    </Stack>
  );
}
