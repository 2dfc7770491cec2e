import { Anchor, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { log, logCSV } from "../../api/admin";
import { useLanguage, useText } from "../../text";
import { About, Facts, Filtering, Find, Line, Lines, Only, Period, useWhen, type SectionProps } from "./lines";

/** Log is the audit log, newest first. Each line shows its number in the Merkle tree. */
export function Log(props: SectionProps) {
  const t = useText();
  const when = useWhen();
  const language = useLanguage();
  const found = useQuery(log(props.selection, language));
  return (
    <Stack>
      <Filtering>
        <Only {...props} label={t("admin.event")} words={found.data?.types ?? []} />
        <Find {...props} by="person" label={t("admin.personEmail")} />
        <Find {...props} by="document" label={t("admin.documentNumber")} />
        <Period {...props} />
      </Filtering>
      <Anchor size="sm" underline="always" href={logCSV(props.selection, language)} style={{ alignSelf: "flex-end" }}>{t("admin.logCSV")}</Anchor>
      <Lines {...props} of={found} items={(d) => d.events} empty={t("admin.nothingFound")}>
        {(e) => (
          <Line key={e.number} title={e.description} end={<Text size="xs" c="dimmed" ff="monospace">#{e.number}</Text>}>
            <Facts of={[when(e.dateTime), e.name, e.ipAddress, e.document && <About document={e.document} />]} />
          </Line>
        )}
      </Lines>
    </Stack>
  );
}
