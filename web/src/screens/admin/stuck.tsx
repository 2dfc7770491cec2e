import { Alert, Badge, Button, Stack, Text } from "@mantine/core";
import { IconClockExclamation, IconDatabaseExclamation, IconRotate } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { useAccount } from "../../api/account";
import { retry, stuck, waitingSteps, type Stuck as Item } from "../../api/admin";
import { useLanguage, useText } from "../../text";
import { sizeOf } from "../../ui/file-size";
import { StateBadge } from "../../ui/state";
import { Trouble } from "../../ui/trouble";
import { About, Facts, Filtering, Find, Line, Lines, Only, useWhen, type SectionProps } from "./lines";

/** Stuck lists documents that wait, with the reason and a retry, and says when the clock is in doubt and nothing is signed, and when the disk is nearly full. */
export function Stuck(props: SectionProps) {
  const t = useText();
  const when = useWhen();
  const found = useQuery(stuck(props.selection));
  const clock = found.data?.clock, disk = found.data?.disk;
  const language = useLanguage();
  return (
    <Stack>
      {clock?.msg && (
        <Alert role="alert" color="red" variant="light" icon={<IconClockExclamation aria-hidden />} title={t("admin.clock")}>
          <Text size="sm">{clock.msg}</Text>
          <Facts of={[
            clock.local && t("admin.clockLocal", { when: when(clock.local) }), clock.database && t("admin.clockDatabase", { when: when(clock.database) }),
            clock.last_event && t("admin.clockLastEvent", { when: when(clock.last_event) }),
          ]} />
        </Alert>
      )}
      {disk?.msg && (
        <Alert role="alert" color={disk.state === "scarce" ? "yellow" : "red"} variant="light" icon={<IconDatabaseExclamation aria-hidden />} title={t("admin.disk")}>
          <Text size="sm">{disk.msg}</Text>
          <Facts of={[disk.free_bytes !== null && sizeOf(disk.free_bytes, language)]} />
        </Alert>
      )}
      <Text size="sm" c="dimmed">{t("admin.stuckLead")}</Text>
      <Filtering>
        <Find {...props} label={t("admin.findTitle")} />
        <Find {...props} by="person" label={t("admin.ownerEmail")} />
        <Only {...props} by="step" label={t("admin.step")} words={waitingSteps.map((s) => ({ value: s, label: t(`admin.waitingSteps.${s}`) }))} />
        <Only {...props} label={t("list.status")} words={[{ value: "failed", label: t("state.failed") }]} />
      </Filtering>
      <Lines {...props} of={found} items={(d) => d.documents} empty={t("admin.nothingStuck")}>{(d) => <One key={d.document.id} item={d} />}</Lines>
    </Stack>
  );
}

function One({ item: d }: { item: Item }) {
  const t = useText();
  const when = useWhen();
  const queries = useQueryClient();
  const role = useAccount()?.role;
  const operator = role === "operator";
  const again = useMutation({ mutationFn: () => retry(d.document.id), onSettled: () => void queries.invalidateQueries({ queryKey: ["admin"] }) });
  return (
    <Line title={<About document={d.document} />} badge={<><StateBadge state={d.status} /><Badge size="sm" variant="default">{t(`steps.${d.step}`)}</Badge></>}
      end={role !== "auditor" && <Button size="xs" variant="default" leftSection={<IconRotate size={14} aria-hidden />} loading={again.isPending} onClick={() => again.mutate()} aria-label={`${t("problem.retry")}: ${d.document.document_title ?? d.document.id}`}>{t("problem.retry")}</Button>}>
      {d.reason && <Text size="sm">{d.reason}</Text>}
      <Facts of={[t("admin.standsSince", { when: when(d.since) }), d.owner, d.attempts > 0 && t("admin.asked", { count: d.attempts }), operator && d.organisation.name]} />
      {again.isError && <Trouble error={again.error} />}
      <Text size="xs" role="status">{again.isSuccess && t("admin.retried")}</Text>
    </Line>
  );
}
