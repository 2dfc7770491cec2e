import { Badge, Button, Group, NumberInput, Paper, Progress, Select, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import { grant, ledger, quota, units, usage, type Unit } from "../../api/admin";
import { Problem, type Schemas } from "../../api/client";
import { useLanguage, useText } from "../../text";
import { sizeOf } from "../../ui/file-size";
import { Loading } from "../../ui/loading";
import { Paging } from "../../ui/paging";
import { Trouble } from "../../ui/trouble";
import { About, Facts, Filtering, Line, Lines, Only, Period, useWhen, type SectionProps } from "./lines";
import { OrganisationSelect } from "./organisation";

/** Quota shows the remaining quota and its ledger, and lets an operator grant more. */
export function Quota(props: SectionProps) {
  const t = useText();
  const when = useWhen();
  const operator = useAccount()?.role === "operator";
  const quotas = props.search.quotas ?? 1;
  const all = useQuery(quota({ page: quotas, organisation: props.selection.organisation })), moves = useQuery(ledger(props.selection));
  const pages = all.data?.pagination.total_page ?? 1;
  return (
    <Stack>
      {all.isPending && <Loading />}
      {all.isError && <Trouble error={all.error} retry={() => void all.refetch()} />}
      {all.data?.organisations.map((o) => <Left key={o.organisation.id} of={o} named={operator} />)}
      <Used organisation={props.search.organisation} named={operator} />
      {pages > 1 && <Paging page={quotas} total={pages} change={(page) => props.change({ quotas: page, page: props.search.page })} />}
      {operator && all.data?.organisations[0] && <Grant key={props.search.organisation ?? ""} first={(props.search.organisation ?? all.data.organisations[0].organisation.id)} />}
      <Title order={2} size="h5">{t("admin.ledger")}</Title>
      <Filtering>
        <Only {...props} label={t("admin.unit")} words={units.map((u) => ({ value: u, label: t(`admin.units.${u}`) }))} />
        <Period {...props} />
      </Filtering>
      <Lines {...props} of={moves} items={(d) => d.entries} empty={t("admin.noMoves")}>
        {(e) => (
          <Line key={`${e.organisation.id} ${e.unit} ${e.number}`} title={`${t(`admin.ops.${e.op}`)}: ${t(`admin.amount.${e.unit}`, { count: Math.abs(e.count) })}`}
            badge={e.count < 0 && <Badge size="sm" variant="outline" color="red">{t("admin.takenBack")}</Badge>}>
            <Facts of={[when(e.at), e.by, e.reason, e.document && <About document={e.document} />, operator && e.organisation.name]} />
          </Line>
        )}
      </Lines>
    </Stack>
  );
}

/** Used says what an organisation stores; without one, the caller's own. */
function Used({ organisation, named }: { organisation: string | undefined; named: boolean }) {
  const t = useText();
  const language = useLanguage();
  const u = useQuery(usage(organisation)).data;
  if (!u) return null;
  const number = (n: number) => n.toLocaleString(language), size = (n: number) => sizeOf(n, language);
  return (
    <Text size="sm" data-usage>
      {named && `${u.organisation.name}: `}
      {t("admin.usage", { documents: number(u.documents), total: size(u.bytes.total), originals: size(u.bytes.originals), signed: size(u.bytes.signed), evidence: size(u.bytes.evidence) })}
    </Text>
  );
}

function Left({ of: o, named }: { of: Schemas["AdminQuota"]; named: boolean }) {
  const t = useText();
  const language = useLanguage();
  const number = (n: number) => n.toLocaleString(language);
  return (
    <Paper withBorder p="md">
      {named && <Title order={2} size="h5" mb="xs">{o.organisation.name}</Title>}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {o.units.map((u) => (
          <div key={u.unit} data-unit={u.unit}>
            <Text size="sm">{t(`admin.units.${u.unit as Unit}`)}</Text>
            <Text fw={700} size="xl" data-left>{number(u.left)}</Text>
            <Progress.Root size="sm" aria-hidden>
              <Progress.Section value={(100 * u.spent) / Math.max(1, u.granted)} color="seal" />
              <Progress.Section value={(100 * u.reserved) / Math.max(1, u.granted)} color="orange" />
            </Progress.Root>
            <Text size="xs" c="dimmed" mt={4}>{t("admin.quotaFacts", { granted: number(u.granted), spent: number(u.spent), reserved: number(u.reserved) })}</Text>
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  );
}

const draw = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");

function Grant({ first }: { first: string }) {
  const t = useText();
  const queries = useQueryClient();
  const [organisation, setOrganisation] = useState(first);
  const [unit, setUnit] = useState<Unit>("emet");
  const [count, setCount] = useState<number | string>("");
  const [reason, setReason] = useState("");
  const [name, setName] = useState(draw);
  const give = useMutation({
    mutationFn: () => grant(name, { organisation, unit, count: Number(count), reason: reason.trim() }),
    onSuccess: () => {
      setCount("");
      setReason("");
      void queries.invalidateQueries({ queryKey: ["admin"] });
      void queries.invalidateQueries({ queryKey: ["balance"] });
    },
    // Any answer is final; only a request whose answer never arrived is repeated under the same name.
    onSettled: (_, error) => { if (!(error instanceof Problem && error.retryable)) setName(draw()); },
  });
  const problem = give.error instanceof Problem ? give.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    give.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-labelledby="grant">
      <Stack gap="sm">
        <Title order={2} size="h5" id="grant">{t("admin.grant")}</Title>
        <Group align="flex-start" gap="sm">
          <OrganisationSelect value={organisation} change={(id) => id && setOrganisation(id)} />
          <Select style={{ flex: "1 1 10rem" }} label={t("admin.unit")} allowDeselect={false} value={unit} onChange={(v) => v && setUnit(v as Unit)} data={units.map((u) => ({ value: u, label: t(`admin.units.${u}`) }))} />
          <NumberInput style={{ flex: "1 1 7rem" }} label={t("admin.count")} required value={count} onChange={setCount} error={problem?.of("count")} allowDecimal={false} />
          <TextInput style={{ flex: "2 1 14rem" }} label={t("document.reason")} required value={reason} onChange={(e) => setReason(e.currentTarget.value)} error={problem?.of("reason")} maxLength={255} />
        </Group>
        {problem && problem.fields.length === 0 && <Trouble error={problem} />}
        <Group justify="space-between">
          <Text size="sm" role="status">{give.isSuccess && t("admin.granted")}</Text>
          <Button type="submit" loading={give.isPending}>{t("admin.doGrant")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
