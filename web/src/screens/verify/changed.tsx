import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { Report } from "../../api/verify";
import { pagesThatDiffer } from "../../pdf/compare";
import { useFile } from "../../pdf/use-file";
import { useLanguage, useText } from "../../text";
import { Fold } from "../../ui/fold";
import { asSigned, unlocated, type PageChanges } from "./changes";
import { Section } from "./evidence";
import { PagePair } from "./pair";
import classes from "./verify.module.css";

interface Props {
  report: Report;
  pages: PageChanges[];
  file: Blob;
  password: string;
}

/** If more pages than these changed, each is shown only on request. */
const few = 3;
/** How many pages are compared if the report does not say which ones changed. */
const compared = 60;

/** Changed lists the changes after the first signature, page by page, and shows each page as signed and as it is now. */
export function Changed({ report: r, pages, file, password }: Props) {
  const t = useText();
  const length = asSigned(r), lost = unlocated(pages);
  const show = length !== undefined && (lost || pages.some((p) => p.page > 0));
  const before = useFile(show ? { blob: file, length, password } : undefined, `${length}`).document;
  const after = useFile(show ? { blob: file, length: file.size, password } : undefined, `${file.size}`).document;
  const looks = useQuery({ queryKey: ["differ", before?.fingerprints, after?.fingerprints], queryFn: () => pagesThatDiffer(before!, after!, compared), enabled: lost && !!before && !!after, gcTime: 0, retry: false });
  const overwritten = r.signatures.some((s) => s.reasons.some((x) => x.code === "digest.differs"));
  const more = (looks.data ?? []).filter((n) => !pages.some((p) => p.page === n)).map((page) => ({ page, changes: [], added: [] }));
  // If the signed bytes of a file were overwritten, no addition can be called allowed.
  const told = overwritten ? pages.map((p) => ({ ...p, added: [], changes: p.changes.filter((c) => !c.allowed) })).filter((p) => p.changes.length > 0) : pages;
  const all = [...told, ...more].sort((a, b) => (a.page || Infinity) - (b.page || Infinity));
  return (
    <Section title={t("verify.changes")}>
      {overwritten && <Text size="sm">{t("verify.overwritten")}</Text>}
      {looks.isFetching && <Text size="sm" c="dimmed" role="status">{t("verify.comparing")}</Text>}
      {all.map((p, i) => {
        const denied = p.changes.flatMap((c) => (c.allowed ? [] : [c.what.args.field]));
        const bad = p.changes.some((c) => !c.allowed) || (lost && (looks.data ?? []).includes(p.page));
        return (
          <Stack key={p.page} gap={6} data-changes={p.page}>
            <Title order={3} size="h6">{p.page ? t("verify.page", { page: p.page }) : t("verify.noPage")}</Title>
            <What report={r} page={p} />
            {p.page > 0 && before && after && (
              <Fold title={t("verify.showPage", { page: p.page })} open={bad || i < few}>
                <PagePair before={before} after={after} number={p.page} bad={bad} fields={p.added.map((n) => r.signatures[n]!.field).filter((f) => !denied.includes(f))} />
              </Fold>
            )}
          </Stack>
        );
      })}
    </Section>
  );
}

/** The changes of one page, in sentences. */
function What({ report: r, page: { changes, added } }: { report: Report; page: PageChanges }) {
  const t = useText();
  const language = useLanguage();
  const kinds = { signature: "verify.signedBy", certification: "verify.signedBy", timestamp: "verify.timestampedBy", stamp: "verify.stampedBy" } as const;
  const line = (key: string, allowed: boolean, text: string, revision: number) => (
    <li key={key}>
      <Text span size="sm" fw={600} c={allowed ? undefined : "var(--mantine-color-error)"}>{t(allowed ? "verify.allowed" : "verify.forbidden")}: </Text>
      {text} <Text span size="xs" c="dimmed">({t("verify.revision", { revision })})</Text>
    </li>
  );
  if (changes.length + added.length === 0) return <Text size="sm">{t("verify.looksOther")}</Text>;
  return (
    <ul className={classes.list}>
      {changes.map((c, i) => line(`${i}`, c.allowed, c.what[language], c.revision))}
      {added.map((n) => {
        const s = r.signatures[n]!;
        return line(`added ${n}`, true, t(kinds[s.kind], { who: s.signer?.name ?? t("verify.nobody"), number: n + 1 }), s.revision);
      })}
    </ul>
  );
}
