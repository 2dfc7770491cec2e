import { Collapse, Paper, Stack, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";

import type { Certificate, Signature } from "../../api/verify";
import { useLanguage, useText } from "../../text";
import { Fact, Sentence, useMoment } from "./evidence";
import { tone } from "./tone";
import classes from "./verify.module.css";

/** SignatureVerdict is one signature: its sentence, who, when, what it covers, and why. */
export function SignatureVerdict({ number, signature: s }: { number: number; signature: Signature }) {
  const t = useText();
  const language = useLanguage();
  const moment = useMoment();
  const reasons = [...new Set(s.reasons.map((r) => r[language]))];
  const covers = s.covers.all ? "verify.coversAll" : s.covers.whole ? "verify.coversRevision" : "verify.coversPart";
  return (
    <Paper withBorder p="md" className={classes.verdict} data-tone={tone(s)} data-signature={s.integrity}>
      <Stack gap="sm">
        <Sentence tone={tone(s)} order={3}>{number}. {s.summary[language]}</Sentence>
        <dl className={classes.facts}>
          <Fact name={t("verify.kind")}>{t(`verify.kinds.${s.kind}`)}{s.page > 0 && `, ${t("verify.page", { page: s.page })}`}</Fact>
          <Fact name={t("verify.who")}>{s.signer?.name ?? t("verify.nobody")}</Fact>
          <Fact name={t("verify.issuer")}>{s.signer?.issuer}</Fact>
          <Fact name={t("verify.proven")}>{s.proven ? t("verify.provenBy", { when: moment(s.proven.time), by: s.proven.by }) : t("verify.unproven")}</Fact>
          <Fact name={t("verify.claimed")}>{moment(s.claimed.time)}</Fact>
          <Fact name={t("verify.reason")}>{[s.claimed.reason, s.claimed.location].filter(Boolean).join(", ")}</Fact>
          <Fact name={t("verify.level")}>{s.level}</Fact>
          <Fact name={t("verify.covers")}>{t(covers, { revision: s.revision })}</Fact>
          <Fact name={t("verify.words")}>{s.indication}{s.sub_indication && `, ${s.sub_indication}`}</Fact>
        </dl>
        {reasons.length > 0 && <ul className={classes.list} aria-label={t("verify.reasons")}>{reasons.map((r) => <li key={r}>{r}</li>)}</ul>}
        {s.chain.length > 0 && <Chain certificates={s.chain} />}
      </Stack>
    </Paper>
  );
}

/** Chain is the certificates from the signer to the root, unfolded by whoever wants them. */
function Chain({ certificates }: { certificates: Certificate[] }) {
  const t = useText();
  const language = useLanguage();
  const [open, { toggle }] = useDisclosure();
  const day = (at: string) => new Date(at).toLocaleDateString(language, { dateStyle: "medium" });
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={open} fw={600} fz="sm">
        {open ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />} {t("verify.chain", { count: certificates.length })}
      </UnstyledButton>
      <Collapse expanded={open}>
        <ol className={classes.list}>
          {certificates.map((c) => (
            <li key={c.sha256}>
              {c.name}{c.trusted && ` (${t("verify.trusted")})`}
              <Text size="xs" c="dimmed">{c.subject}</Text>
              <Text size="xs" c="dimmed">{t("verify.valid", { from: day(c.not_before), until: day(c.not_after) })} · {c.key} · {t(`verify.standing.${c.revocation}`)}</Text>
              <Text size="xs" c="dimmed">SHA-256 {c.sha256}</Text>
            </li>
          ))}
        </ol>
      </Collapse>
    </div>
  );
}
