import { Paper, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";

import type { Report } from "../../api/verify";
import { useLanguage, useText } from "../../text";
import { Fold } from "../../ui/fold";
import { changesByPage } from "./changes";
import { Changed } from "./changed";
import { Section, Sentence } from "./evidence";
import { KeepReport } from "./keep-report";
import { SignatureVerdict } from "./signature";
import { toneOfFile } from "./tone";
import classes from "./verify.module.css";

interface Props {
  report: Report;
  /** The verified file, and the password that opens it. */
  file: File;
  password: string;
}

/** Verdict shows a report: the verdict on the file in one sentence, then the evidence. */
export function Verdict({ report: r, file, password }: Props) {
  const t = useText();
  const language = useLanguage();
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    top.current?.focus({ preventScroll: true });
    top.current?.scrollIntoView({ block: "nearest" });
  }, [r]);
  const tone = toneOfFile(r);
  const changes = changesByPage(r);
  // That no responder could be asked again matters only to readers who do not accept the proof within the file.
  const warnings = r.warnings.filter((w) => w.code !== "revocation.offline"), unasked = r.warnings.filter((w) => w.code === "revocation.offline");
  const notes = [...unasked.map((w) => w[language]), ...changes.technical.map((c) => `${t("verify.revision", { revision: c.revision })}: ${c.what[language]}`)];
  const changed = changes.pages.length > 0 && <Changed key="changed" report={r} pages={changes.pages} file={file} password={password} />;
  return (
    <Stack gap="lg" component="section" aria-label={t("verify.result")}>
      <Paper ref={top} tabIndex={-1} withBorder p="md" className={classes.verdict} data-tone={tone} data-verdict={r.integrity}>
        <Sentence tone={tone} order={2}>{r.summary[language]}</Sentence>
        {r.removed && <Text size="sm" mt={4}>{r.removed[language]}</Text>}
        {r.signatures.length === 0 && <Text size="sm" mt={4}>{t("verify.unsigned")}</Text>}
        <Text size="sm" c="dimmed" mt={4}>{t("verify.validated", { pages: t("verify.pages", { count: r.file.pages }), revisions: t("verify.revisions", { count: r.file.revisions }), when: new Date(r.at).toLocaleString(language, { dateStyle: "medium", timeStyle: "medium" }) })}</Text>
      </Paper>
      <KeepReport report={r} file={file} password={password} />
      {warnings.length > 0 && (
        <Section title={t("verify.warnings")}><ul className={classes.list}>{warnings.map((w, i) => <li key={i}>{w[language]}</li>)}</ul></Section>
      )}
      {tone === "bad" && changed}
      {r.signatures.length > 0 && (
        <Section title={t("verify.signatures")}>
          {r.signatures.map((s, i) => <SignatureVerdict key={`${i} ${s.field}`} number={i + 1} signature={s} stamp={r.stamps.find((x) => s.kind === "stamp" && x.field === s.field)} />)}
        </Section>
      )}
      {tone !== "bad" && changed}
      {notes.length > 0 && <Fold title={t("verify.technical", { count: notes.length })}><ul className={classes.list}>{notes.map((n, i) => <li key={i}>{n}</li>)}</ul></Fold>}
    </Stack>
  );
}
