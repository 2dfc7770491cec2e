import { Alert, Badge, Button, Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { useAccount } from "../../api/account";
import { reconcile, reconciliation, type Reconciliation as Report } from "../../api/admin";
import { useLanguage, useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import { Facts, Line, useWhen } from "./lines";

/** Reconciliation compares our register with that of the e-meterai issuer, and explains differences. */
export function Reconciliation() {
  const t = useText();
  const queries = useQueryClient();
  const operator = useAccount()?.role === "operator";
  const found = useQuery(reconciliation);
  const run = useMutation({ mutationFn: reconcile, onSettled: () => void queries.invalidateQueries({ queryKey: ["admin"] }) });
  if (found.isPending) return <Loading />;
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" style={{ flex: "1 1 16rem" }}>{t("admin.reconcileLead")}</Text>
        {operator && <Button leftSection={<IconRefresh size={16} aria-hidden />} loading={run.isPending} onClick={() => run.mutate()}>{t("admin.reconcile")}</Button>}
      </Group>
      {run.isError && <Trouble error={run.error} retry={() => run.mutate()} />}
      {found.data ? <Shown report={found.data} /> : <Text py="md" c="dimmed" ta="center">{t("admin.noReport")}</Text>}
    </Stack>
  );
}

function Shown({ report: r }: { report: Report }) {
  const t = useText();
  const when = useWhen();
  const language = useLanguage();
  return (
    <Stack data-report={r.number}>
      {r.problem
        ? <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t("admin.officeSilent")}>{r.problem}</Alert>
        : r.unexplained > 0
          ? <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t("admin.unexplained", { count: r.unexplained })}>{t("admin.unexplainedHint")}</Alert>
          : <Alert color="seal" variant="light" icon={<IconCircleCheck aria-hidden />} title={t("admin.agree")} />}
      <Text size="sm" c="dimmed">{t("admin.reportAt", { when: when(r.at), by: r.by })}</Text>
      {r.office && (
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          {(["left", "unused", "affixed", "reported"] as const).map((k) => (
            <Paper key={k} withBorder p="sm"><Text size="xs" c="dimmed">{t(`admin.office.${k}`)}</Text><Text fw={700} size="lg">{r.office![k].toLocaleString(language)}</Text></Paper>
          ))}
        </SimpleGrid>
      )}
      {r.register.length > 0 && <Facts of={r.register.map((c, i) => `${i === 0 ? `${t("admin.register")} ` : ""}${t(`admin.serialStates.${c.state}`)} ${c.count.toLocaleString(language)}`)} />}
      {r.differences.length > 0 && (
        <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>
          {r.differences.map((d, i) => (
            <Line key={i} title={d.msg} badge={<Badge size="sm" variant="outline" color={d.explained ? "gray" : "orange"}>{t(d.explained ? "admin.isExplained" : "admin.notExplained")}</Badge>}>
              <Facts of={[d.serial, d.document_id !== null && `#${d.document_id}`, d.organisation?.name,
                d.here && t("admin.here", { state: t(`admin.serialStates.${d.here}`) }), d.there && t("admin.there", { state: t(`admin.officeStates.${d.there}`) })]} />
            </Line>
          ))}
        </Stack>
      )}
      {r.omitted > 0 && <Text size="sm" c="dimmed">{t("admin.omitted", { count: r.omitted })}</Text>}
    </Stack>
  );
}
