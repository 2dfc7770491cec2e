import { Stack, Text, Title } from "@mantine/core";

import type { Report } from "../../api/verify";
import { useFile } from "../../pdf/use-file";
import { useLanguage, useText } from "../../text";
import { Fold } from "../../ui/fold";
import { asSigned, type PageChanges } from "./changes";
import { Section } from "./evidence";
import { PagePair } from "./pair";
import classes from "./verify.module.css";

interface Props {
  report: Report;
  pages: PageChanges[];
  file: Blob;
  password: string;
}

/** More pages than these are shown only to those who ask for each. */
const few = 3;

/** Changed lists what came behind the first signature, page by page, and shows each page as it was signed and as it is. */
export function Changed({ report: r, pages, file, password }: Props) {
  const t = useText();
  const language = useLanguage();
  const length = asSigned(r), seen = pages.some((p) => p.page > 0);
  const before = useFile(length !== undefined && seen ? { blob: file, length, password } : undefined, `${length}`);
  const after = useFile(length !== undefined && seen ? { blob: file, length: file.size, password } : undefined, `${file.size}`);
  const overwritten = r.signatures.some((s) => s.reasons.some((x) => x.code === "digest.differs"));
  const kinds = { signature: "verify.signedBy", certification: "verify.signedBy", timestamp: "verify.timestampedBy", stamp: "verify.stampedBy" } as const;
  return (
    <Section title={t("verify.changes")}>
      {overwritten && <Text size="sm">{t("verify.overwritten")}</Text>}
      {pages.map(({ page, changes, added }, i) => {
        const bad = changes.some((c) => !c.allowed);
        return (
          <Stack key={page} gap={6} data-changes={page}>
            <Title order={3} size="h6">{page ? t("verify.page", { page }) : t("verify.noPage")}</Title>
            <ul className={classes.list}>
              {changes.map((c, n) => (
                <li key={n}>
                  <Text span size="sm" fw={600} c={c.allowed ? undefined : "var(--mantine-color-error)"}>{t(c.allowed ? "verify.allowed" : "verify.forbidden")}: </Text>
                  {c.what[language]} <Text span size="xs" c="dimmed">({t("verify.revision", { revision: c.revision })})</Text>
                </li>
              ))}
              {added.map((n) => {
                const s = r.signatures[n]!;
                return (
                  <li key={`added ${n}`}>
                    <Text span size="sm" fw={600}>{t("verify.allowed")}: </Text>
                    {t(kinds[s.kind], { who: s.signer?.name ?? t("verify.nobody"), number: n + 1 })} <Text span size="xs" c="dimmed">({t("verify.revision", { revision: s.revision })})</Text>
                  </li>
                );
              })}
            </ul>
            {page > 0 && before.document && after.document && (
              <Fold title={t("verify.showPage", { page })} open={bad || i < few}>
                <PagePair before={before.document} after={after.document} number={page} bad={bad} fields={added.map((n) => r.signatures[n]!.field)} />
              </Fold>
            )}
          </Stack>
        );
      })}
    </Section>
  );
}
