import { Badge, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useAccount } from "../../api/account";
import { serials, serialStates, type SerialState } from "../../api/admin";
import { useText } from "../../text";
import { About, Facts, Filtering, Find, Line, Lines, Only, useWhen, type SectionProps } from "./lines";

export const serialColours: Record<SerialState, string> = { taken: "orange", free: "blue", bound: "gray", affixed: "seal", quarantined: "red" };

/** Serials lists every serial of a duty stamp that was ever bought, with its state. */
export function Serials(props: SectionProps) {
  const t = useText();
  const when = useWhen();
  const operator = useAccount()?.role === "operator";
  const found = useQuery(serials(props.selection));
  return (
    <Stack>
      <Filtering>
        <Only {...props} label={t("list.status")} words={serialStates.map((s) => ({ value: s, label: t(`admin.serialStates.${s}`) }))} />
        <Find {...props} label={t("admin.serialNumber")} />
        <Find {...props} by="document" label={t("admin.documentNumber")} />
      </Filtering>
      <Lines {...props} of={found} items={(d) => d.serials} empty={t("admin.noSerials")}>
        {(s) => (
          <Line key={s.serial} title={s.serial} end={<Badge variant="outline" color={serialColours[s.state]}>{t(`admin.serialStates.${s.state}`)}</Badge>}>
            <Facts of={[when(s.changed_at), s.document && <About document={s.document} />, !s.document && s.former && <>{t("admin.former")} <About document={s.former} /></>, s.let_go > 0 && t("admin.letGo", { count: s.let_go }), operator && s.organisation?.name]} />
            {s.problem && <Text size="xs" c="var(--mantine-color-error)">{s.problem}</Text>}
          </Line>
        )}
      </Lines>
    </Stack>
  );
}
