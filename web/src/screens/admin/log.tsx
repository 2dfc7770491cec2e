import { Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { log } from "../../api/admin";
import { useLanguage, useText } from "../../text";
import { About, Facts, Line, Lines, useWhen, type SectionProps } from "./lines";

/** Log is the audit log, newest first. Each line shows its number in the Merkle tree. */
export function Log(props: SectionProps) {
  const t = useText();
  const when = useWhen();
  const found = useQuery(log(props.selection, useLanguage()));
  return (
    <Stack>
      <Select w={{ base: "100%", xs: 320 }} label={t("admin.event")} searchable allowDeselect={false} value={props.selection.only ?? ""} onChange={(v) => props.change({ only: v || undefined })}
        data={[{ value: "", label: t("list.all") }, ...(found.data?.types ?? [])]} />
      <Lines {...props} of={found} items={(d) => d.events} empty={t("list.nothing")}>
        {(e) => (
          <Line key={e.number} title={e.description} end={<Text size="xs" c="dimmed" ff="monospace">#{e.number}</Text>}>
            <Facts of={[when(e.dateTime), e.name, e.ipAddress, e.document && <About document={e.document} />]} />
          </Line>
        )}
      </Lines>
    </Stack>
  );
}
