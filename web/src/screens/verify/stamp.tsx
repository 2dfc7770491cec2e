import { Badge, Group, Paper, Stack } from "@mantine/core";

import type { Stamp } from "../../api/verify";
import { useLanguage, useText } from "../../text";
import { Fact, Sentence } from "./evidence";
import type { Tone } from "./tone";
import classes from "./verify.module.css";

/** A stamp looks good only where the office is recognised and nothing speaks against it; a specimen never does. */
export function toneOfStamp(s: Stamp): Tone {
  if (s.twice || s.elsewhere === "yes") return "bad";
  return s.trusted && s.recognised && !s.specimen ? "good" : "unsure";
}

export function StampVerdict({ stamp: s }: { stamp: Stamp }) {
  const t = useText();
  const language = useLanguage();
  return (
    <Paper withBorder p="md" className={classes.verdict} data-tone={toneOfStamp(s)} data-stamp={s.serial}>
      <Stack gap="sm">
        <Sentence tone={toneOfStamp(s)} order={3}>{s.summary[language]}</Sentence>
        <dl className={classes.facts}>
          <Fact name={t("verify.serial")}><Group component="span" gap="xs">{s.serial || t("verify.noSerial")}{s.specimen && <Badge variant="outline" color="yellow.9">{t("list.specimen")}</Badge>}</Group></Fact>
          <Fact name={t("verify.office")}>{s.office}</Fact>
          <Fact name={t("verify.place")}>{s.page > 0 && t("verify.page", { page: s.page })}</Fact>
          <Fact name={t("verify.reason")}>{s.reason}</Fact>
        </dl>
        {s.reasons.length > 0 && <ul className={classes.list} aria-label={t("verify.reasons")}>{s.reasons.map((r) => <li key={r.code}>{r[language]}</li>)}</ul>}
      </Stack>
    </Paper>
  );
}
