import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { Report } from "../../api/verify";
import { pagesThatDiffer } from "../../pdf/compare";
import { useFile } from "../../pdf/use-file";
import { useLanguage, useText } from "../../text";
import { Fold } from "../../ui/fold";
import { asSigned, countAllowed, unlocated, type Change, type PageChanges } from "./changes";
import { Section } from "./evidence";
import { PagePair } from "./pair";
import classes from "./verify.module.css";

interface Props {
  report: Report;
  pages: PageChanges[];
  file: Blob;
  password: string;
}

/** How many pages are compared if the report does not say which ones changed. */
const compared = 60;

/** Changed lists the changes after the first signature: pages with a change that is not allowed first, as signed and as they are now; then, folded, what is allowed. */
export function Changed({ report: r, pages, file, password }: Props) {
  const t = useText();
  const allowedOf = useAllowed(r);
  const length = asSigned(r), lost = unlocated(pages);
  const show = length !== undefined && (lost || pages.some((p) => p.page > 0));
  const before = useFile(show ? { blob: file, length, password } : undefined, `${length}`).document;
  const after = useFile(show ? { blob: file, length: file.size, password } : undefined, `${file.size}`).document;
  const denied = new Set(pages.flatMap((p) => p.changes.flatMap((c) => (c.allowed ? [] : [c.what.args.field]))));
  const fieldsOn = (page: number) => pages.filter((p) => p.page === page).flatMap((p) => [...p.added.map((n) => r.signatures[n]!.field), ...p.filled.map((f) => f.field)]).filter((f) => !denied.has(f));
  const looks = useQuery({ queryKey: ["differ", before?.fingerprints, after?.fingerprints], queryFn: () => pagesThatDiffer(before!, after!, compared, fieldsOn), enabled: lost && !!before && !!after, gcTime: 0, retry: false });
  const differ = lost ? (looks.data ?? []) : [];
  const overwritten = r.signatures.some((s) => s.reasons.some((x) => x.code === "digest.differs"));
  const more = differ.filter((n) => !pages.some((p) => p.page === n)).map((page) => ({ page, changes: [], added: [], filled: [] }));
  // If the signed bytes of a file were overwritten, no addition can be called allowed.
  const told = overwritten ? pages.map((p) => ({ ...p, added: [], filled: [], changes: p.changes.filter((c) => !c.allowed) })).filter((p) => p.changes.length > 0) : pages;
  const all = [...told, ...more].sort((a, b) => (a.page || Infinity) - (b.page || Infinity));
  const isBad = (p: PageChanges) => p.changes.some((c) => !c.allowed) || differ.includes(p.page);
  const bad = all.filter(isBad), rest = all.filter((p) => !isBad(p));
  const pair = (p: PageChanges, open: boolean) => p.page > 0 && before && after && (
    <Fold title={t("verify.showPage", { page: p.page })} open={open}>
      <PagePair before={before} after={after} number={p.page} bad={open} fields={fieldsOn(p.page)} />
    </Fold>
  );
  return (
    <Section title={t("verify.changes")}>
      {overwritten && <Text size="sm">{t("verify.overwritten")}</Text>}
      {looks.isFetching && <Text size="sm" c="dimmed" role="status">{t("verify.comparing")}</Text>}
      {bad.map((p) => {
        const allowed = allowedOf([p]);
        return (
          <Stack key={p.page} gap={6} data-changes={p.page} data-denied>
            <Heading page={p.page} order={3} />
            {p.changes.some((c) => !c.allowed) ? <Denied changes={p.changes.filter((c) => !c.allowed)} /> : <Text size="sm">{t("verify.looksOther")}</Text>}
            {allowed && <Fold title={t("verify.allowedHere", { what: allowed })}><Lines report={r} page={p} /></Fold>}
            {pair(p, true)}
          </Stack>
        );
      })}
      {rest.length > 0 && (
        <div data-allowed>
          <Fold title={t("verify.allowedAll", { what: allowedOf(rest) })}>
            <Stack gap="sm" pt={6}>
              {rest.map((p) => (
                <Stack key={p.page} gap={6} data-changes={p.page}>
                  <Heading page={p.page} order={3} />
                  <Lines report={r} page={p} />
                  {pair(p, false)}
                </Stack>
              ))}
            </Stack>
          </Fold>
        </div>
      )}
    </Section>
  );
}

function Heading({ page, order }: { page: number; order: 3 }) {
  const t = useText();
  return <Title order={order} size="h6">{page ? t("verify.page", { page }) : t("verify.noPage")}</Title>;
}

/** The allowed changes of some pages in one line: "36 initials by 3 people and 1 timestamp". */
function useAllowed(report: Report): (pages: PageChanges[]) => string {
  const t = useText();
  const language = useLanguage();
  return (pages) => {
    const { initials, people, ...counts } = countAllowed(pages, report.signatures);
    const parts = initials > 0 ? [t("verify.sum.initials", { count: initials, people: t("verify.sum.people", { count: people }) })] : [];
    for (const kind of ["signatures", "stamps", "timestamps", "fields", "other"] as const) if (counts[kind] > 0) parts.push(t(`verify.sum.${kind}`, { count: counts[kind] }));
    return new Intl.ListFormat(language).format(parts);
  };
}

/** The changes of one page that are not allowed. */
function Denied({ changes }: { changes: Change[] }) {
  const t = useText();
  const language = useLanguage();
  return (
    <ul className={classes.list}>
      {changes.map((c, i) => (
        <li key={i}><Text span size="sm" fw={600} c="var(--mantine-color-error)">{t("verify.forbidden")}: </Text>{c.what[language]} <Revision of={c} /></li>
      ))}
    </ul>
  );
}

/** The allowed changes of one page, in sentences. */
function Lines({ report: r, page: { changes, added, filled } }: { report: Report; page: PageChanges }) {
  const t = useText();
  const language = useLanguage();
  const kinds = { signature: "verify.signedBy", certification: "verify.signedBy", timestamp: "verify.timestampedBy", stamp: "verify.stampedBy" } as const;
  const who = (n: number) => ({ who: r.signatures[n]!.signer?.name ?? t("verify.nobody"), number: n + 1 });
  return (
    <ul className={classes.list}>
      {changes.filter((c) => c.allowed).map((c, i) => <li key={i}>{c.what[language]} <Revision of={c} /></li>)}
      {filled.map((f) => <li key={`filled ${f.field}`}>{f.initials === undefined ? t("verify.filledField", { field: f.field }) : t("verify.initialsOf", who(f.initials))} <Revision of={f} /></li>)}
      {added.map((n) => <li key={`added ${n}`}>{t(kinds[r.signatures[n]!.kind], who(n))} <Revision of={r.signatures[n]!} /></li>)}
    </ul>
  );
}

function Revision({ of: { revision } }: { of: { revision: number } }) {
  const t = useText();
  return <Text span size="xs" c="dimmed">({t("verify.revision", { revision })})</Text>;
}
