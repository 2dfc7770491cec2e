import { Paper, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef, type ReactNode } from "react";

import type { Report } from "../../api/verify";
import { useLanguage, useText } from "../../text";
import { changesByPage } from "./changes";
import { Sentence } from "./evidence";
import { SignatureVerdict } from "./signature";
import { StampVerdict } from "./stamp";
import { toneOfFile } from "./tone";
import classes from "./verify.module.css";

/** Verdict shows a report: the file in one sentence, then its evidence. */
export function Verdict({ report: r }: { report: Report }) {
  const t = useText();
  const language = useLanguage();
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    top.current?.focus({ preventScroll: true });
    top.current?.scrollIntoView({ block: "nearest" });
  }, [r]);
  const tone = toneOfFile(r);
  return (
    <Stack gap="lg" component="section" aria-label={t("verify.result")}>
      <Paper ref={top} tabIndex={-1} withBorder p="md" className={classes.verdict} data-tone={tone} data-verdict={r.integrity}>
        <Sentence tone={tone} order={2}>{r.summary[language]}</Sentence>
        <Text size="sm" c="dimmed" mt={4}>{t("verify.judged", { pages: t("verify.pages", { count: r.file.pages }), revisions: t("verify.revisions", { count: r.file.revisions }), when: new Date(r.at).toLocaleString(language, { dateStyle: "medium", timeStyle: "medium" }) })}</Text>
      </Paper>
      {r.warnings.length > 0 && (
        <Section title={t("verify.warnings")}><ul className={classes.list}>{r.warnings.map((w, i) => <li key={i}>{w[language]}</li>)}</ul></Section>
      )}
      {r.stamps.length > 0 && <Section title={t("document.stamps")}>{r.stamps.map((s) => <StampVerdict key={s.field} stamp={s} />)}</Section>}
      {r.signatures.length > 0 && <Section title={t("verify.signatures")}>{r.signatures.map((s, i) => <SignatureVerdict key={`${i} ${s.field}`} number={i + 1} signature={s} />)}</Section>}
      <Changes report={r} />
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="sm" component="section">
      <Title order={2} size="h5">{title}</Title>
      {children}
    </Stack>
  );
}

/** Changes lists what came behind the first signature, page by page. */
function Changes({ report }: { report: Report }) {
  const t = useText();
  const language = useLanguage();
  const pages = changesByPage(report);
  if (pages.length === 0) return null;
  return (
    <Section title={t("verify.changes")}>
      {pages.map(({ page, changes }) => (
        <Stack key={page} gap={4} data-changes={page}>
          <Title order={3} size="h6">{page ? t("verify.page", { page }) : t("verify.noPage")}</Title>
          <ul className={classes.list}>
            {changes.map((c, i) => (
              <li key={i}>
                <Text span size="sm" fw={600} c={c.allowed ? undefined : "var(--mantine-color-error)"}>{t(c.allowed ? "verify.allowed" : "verify.forbidden")}: </Text>
                {c.what[language]} <Text span size="xs" c="dimmed">({t("verify.revision", { revision: c.revision })})</Text>
              </li>
            ))}
          </ul>
        </Stack>
      ))}
    </Section>
  );
}
