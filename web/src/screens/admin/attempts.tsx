import { Anchor, Badge, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useAccount } from "../../api/account";
import { attempts, attemptsCSV } from "../../api/admin";
import { useText } from "../../text";
import { About, Facts, Filtering, Find, Line, Lines, Period, useWhen, type SectionProps } from "./lines";

/** Attempts lists the calls to the e-meterai issuer that cost money or cannot be undone, newest first. */
export function Attempts(props: SectionProps) {
  const t = useText();
  const when = useWhen();
  const operator = useAccount()?.role === "operator";
  const found = useQuery(attempts(props.selection));
  return (
    <Stack>
      <Filtering>
        <Find {...props} label={t("admin.serialNumber")} />
        <Find {...props} by="document" label={t("admin.documentNumber")} />
        <Period {...props} />
      </Filtering>
      <Anchor size="sm" underline="always" href={attemptsCSV(props.selection)} style={{ alignSelf: "flex-end" }}>{t("admin.attemptsCSV")}</Anchor>
      <Lines {...props} of={found} items={(d) => d.attempts} empty={t("admin.noAttempts")}>
        {(a) => (
          <Line key={`${a.document?.id} ${a.stamp} ${a.number}`} title={t(a.call === "take" ? "admin.callTake" : "admin.callStamp")}
            end={<Badge variant="outline" color={a.outcome === "ok" ? "seal" : a.outcome === "" ? "gray" : "orange"}>{a.outcome === "ok" ? t("admin.outcomeOK") : a.outcome === "" ? t("admin.outcomeOpen") : t("admin.outcomeFailed")}</Badge>}>
            <Facts of={[when(a.asked_at), a.document && <About document={a.document} />, a.serial, t("admin.attempt", { number: a.number }), operator && a.organisation.name]} />
            {(a.code || a.text) && <Facts of={[a.code, a.text]} />}
          </Line>
        )}
      </Lines>
    </Stack>
  );
}
