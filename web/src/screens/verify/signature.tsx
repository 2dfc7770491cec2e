import { Badge, Group, Paper, Stack, Text } from "@mantine/core";

import type { Certificate, Reason, Signature, Stamp } from "../../api/verify";
import { useLanguage, useText } from "../../text";
import { Fold } from "../../ui/fold";
import { Fact, plain, Sentence, useMoment } from "./evidence";
import { grave, tone, toneOfStamp, unverified } from "./tone";
import classes from "./verify.module.css";

interface Props {
  /** From 1, in the order in which they were added. */
  number: number;
  signature: Signature;
  /** The duty stamp that the signature is, if it is one. */
  stamp?: Stamp | undefined;
}

/** Codes for what keeps a signature from the next level, and for a missing proof of time: the time row and the details show these. */
const aside = /^level\.|^time\.unproven$/;

/** SignatureVerdict is one signature, timestamp or duty stamp: its verdict, who and when, and why. */
export function SignatureVerdict({ number, signature: s, stamp }: Props) {
  const t = useText();
  const language = useLanguage();
  const moment = useMoment();
  const look = stamp && tone(s) !== "bad" ? toneOfStamp(stamp) : tone(s);
  const first = grave(s.reasons), shown = look === "bad" && first.length > 0 ? first : s.reasons.filter((r) => !aside.test(r.code));
  const reasons = [...new Set([...(stamp?.reasons ?? []), ...shown].map((r) => plain(r, language)))];
  return (
    <Paper withBorder p="md" className={classes.verdict} data-tone={look} {...(stamp ? { "data-stamp": stamp.serial } : { "data-signature": s.integrity })}>
      <Stack gap="sm">
        <Sentence tone={look} order={3}>{number}. {stamp ? stamp.summary[language] : plain(s.summary, language)}</Sentence>
        <dl className={classes.facts}>
          {stamp && <Fact name={t("verify.serial")}><Group component="span" gap="xs">{stamp.serial || t("verify.noSerial")}{stamp.specimen && <Badge variant="outline" color="yellow.9">{t("list.specimen")}</Badge>}</Group></Fact>}
          <Fact name={t(stamp ? "verify.office" : "verify.who")}>{stamp?.office || (s.signer ? s.signer.name : t("verify.nobody"))}</Fact>
          {s.identity && <Fact name={t("verify.identity")}><Text span inherit fw={unverified(s) ? 700 : undefined} data-identity={s.identity.status} style={{ overflowWrap: "anywhere" }}>{s.identity.statement[language]}</Text></Fact>}
          {s.authentication && <Fact name={t("verify.factor")}><Text span inherit data-stated-by={s.authentication.stated_by} style={{ overflowWrap: "anywhere" }}>{s.authentication.statement[language]}</Text></Fact>}
          <Fact name={t("verify.proven")}>{s.proven ? t("verify.provenBy", { when: moment(s.proven.time), by: s.proven.by }) : t("verify.unproven")}</Fact>
          {!s.proven && <Fact name={t("verify.claimed")}>{moment(s.claimed.time)}</Fact>}
          <Fact name={t("verify.reason")}>{stamp ? stamp.reason : [s.claimed.reason, s.claimed.location].filter(Boolean).join(", ")}</Fact>
          <Fact name={t("verify.place")}>{s.page > 0 ? t("verify.page", { page: s.page }) : t("verify.unseen")}</Fact>
        </dl>
        {unverified(s) && look !== "bad" && <Text size="sm">{t("verify.identityOpen")}</Text>}
        {reasons.length > 0 && <ul className={classes.list} aria-label={t("verify.reasons")}>{reasons.map((r) => <li key={r}>{r}</li>)}</ul>}
        <Fold title={t("verify.details")}><Details signature={s} stamp={stamp} rest={s.reasons.filter((r) => !shown.includes(r))} /></Fold>
      </Stack>
    </Paper>
  );
}

/** Details uses the terms of the standards, for readers who want to check the verdict. */
function Details({ signature: s, stamp, rest }: Omit<Props, "number"> & { rest: Reason[] }) {
  const t = useText();
  const language = useLanguage();
  const moment = useMoment();
  const covers = s.covers.all ? "verify.coversAll" : s.covers.whole ? "verify.coversRevision" : "verify.coversPart";
  const level = (["B-B", "B-T", "B-LT", "B-LTA"] as const).find((l) => l === s.level);
  return (
    <Stack gap="sm" pt={6}>
      {stamp && <Text size="sm">{plain(s.summary, language)}</Text>}
      <dl className={classes.facts}>
        <Fact name={t("verify.kind")}>{t(`verify.kinds.${s.kind}`)}</Fact>
        <Fact name={t("verify.field")}>{s.field}</Fact>
        {s.proven && <Fact name={t("verify.claimed")}>{moment(s.claimed.time)}</Fact>}
        <Fact name={t("verify.covers")}>{t(covers, { revision: s.revision })}</Fact>
        <Fact name={t("verify.level")}>{level ? `${level}: ${t(`verify.levels.${level}`)}` : s.level}</Fact>
        <Fact name={t("verify.words")}>{s.indication}{s.sub_indication && `, ${s.sub_indication}`}</Fact>
        <Fact name={t("verify.issuer")}>{s.signer?.issuer}</Fact>
        {s.reasons.map((r) => r.code === "coverage.broken" && <Fact key={r.code} name={t("verify.gap")}>{`${r.args.what}: ${r.args.why}`}</Fact>)}
      </dl>
      {rest.length > 0 && <ul className={classes.list}>{rest.map((r, i) => <li key={i}>{r[language]}</li>)}</ul>}
      {s.chain.length > 0 && <Chain certificates={s.chain} />}
    </Stack>
  );
}

/** Chain lists the certificates from the signer to the root. */
function Chain({ certificates }: { certificates: Certificate[] }) {
  const t = useText();
  const language = useLanguage();
  const day = (at: string) => new Date(at).toLocaleDateString(language, { dateStyle: "medium" });
  return (
    <div>
      <Text size="sm" fw={600}>{t("verify.chain")}</Text>
      <ol className={classes.list}>
        {certificates.map((c) => (
          <li key={c.sha256}>
            {c.name}{c.trusted && ` (${t("verify.trusted")})`}
            <Text size="xs" c="dimmed">{c.subject}</Text>
            <Text size="xs" c="dimmed">{t("verify.valid", { from: day(c.not_before), until: day(c.not_after) })} · {c.key} · {t(`verify.standing.${c.revocation}`)}</Text>
            {c.policies.map((p) => <Text key={p.oid} size="xs" c="dimmed">{t("verify.policy")} {p.oid}{p.notice && `: ${p.notice}`}</Text>)}
            <Text size="xs" c="dimmed">SHA-256 {c.sha256}</Text>
          </li>
        ))}
      </ol>
    </div>
  );
}
