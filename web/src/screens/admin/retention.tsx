import { Badge, Button, Group, NumberInput, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import { addHold, dueRemovals, holds, liftHold, retention, setRetention, type Hold, type Retention as Stored } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { Loading } from "../../ui/loading";
import { Paging } from "../../ui/paging";
import { Trouble } from "../../ui/trouble";
import { About, Facts, Line, useWhen, type SectionProps } from "./lines";

/** Retention says for how long an organisation keeps files, which of them are due to be removed, and what a legal hold keeps. */
export function Retention({ search }: SectionProps) {
  const t = useText();
  const auditor = useAccount()?.role === "auditor";
  const found = useQuery(retention(search.organisation));
  return (
    <Stack gap="xl">
      <Stack component="section" aria-label={t("retention.title")}>
        <div>
          <Title order={2} size="h5">{t("retention.title")}</Title>
          <Text size="sm" c="dimmed">{t("retention.lead")}</Text>
        </div>
        {found.isPending && <Loading />}
        {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
        {found.data && <Period key={found.data.organisation.id} stored={found.data} auditor={auditor} />}
      </Stack>
      <Due organisation={search.organisation} />
      {found.data && <Holds organisation={found.data.organisation.id} auditor={auditor} />}
    </Stack>
  );
}

function Period({ stored, auditor }: { stored: Stored; auditor: boolean }) {
  const t = useText();
  const queries = useQueryClient();
  const [years, setYears] = useState<string | number>(stored.years);
  const changed = Number(years) !== stored.years || years === "";
  const save = useMutation({
    mutationFn: () => setRetention(stored.organisation.id, Number(years)),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["admin"] }),
  });
  const problem = save.error instanceof Problem ? save.error.of("years") : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (years !== "") save.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("retention.title")}>
      <Stack gap="md">
        <NumberInput maw={320} label={t("retention.years")} description={t("retention.hint", { least: stored.least_years, most: stored.most_years })} value={years} onChange={setYears} error={problem}
          min={0} max={stored.most_years} allowDecimal={false} allowNegative={false} clampBehavior="none" disabled={auditor} />
        {save.isError && !problem && <Trouble error={save.error} />}
        {!auditor && (
          <Group justify="flex-end" gap="sm">
            <Text size="sm" role="status">{save.isSuccess && !changed && t("retention.saved")}</Text>
            <Button type="submit" loading={save.isPending} disabled={!changed}>{t("retention.save")}</Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

function Due({ organisation }: { organisation: string | undefined }) {
  const t = useText();
  const when = useWhen();
  const [page, setPage] = useState(1);
  const found = useQuery(dueRemovals(organisation, page));
  const pages = found.data?.pagination.total_page ?? 0;
  return (
    <Stack component="section" aria-label={t("retention.due")} gap="sm">
      <div>
        <Title order={2} size="h5">{t("retention.due")}</Title>
        <Text size="sm" c="dimmed">{t("retention.dueLead")}</Text>
      </div>
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data?.documents.length === 0 && <Text c="dimmed" role="status">{t("retention.none")}</Text>}
      <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>
        {found.data?.documents.map((d) => (
          <Line key={d.document.id} title={<About document={d.document} />} badge={d.held && <Badge size="sm" variant="outline">{t("retention.held")}</Badge>}>
            <Facts of={[
              `#${d.document.id}`, d.owner.name, t("retention.completedAt", { when: when(d.completed_at) }), d.remove_at && t("retention.removeAt", { when: when(d.remove_at) }),
              d.announced_at ? t("retention.announced", { when: when(d.announced_at) }) : t("retention.notAnnounced"),
            ]} />
          </Line>
        ))}
      </Stack>
      {pages > 1 && <Paging page={page} total={pages} change={setPage} />}
    </Stack>
  );
}

function Holds({ organisation, auditor }: { organisation: string; auditor: boolean }) {
  const t = useText();
  const when = useWhen();
  const queries = useQueryClient();
  const [page, setPage] = useState(1);
  const [adding, setAdding] = useState(false);
  const [lifting, setLifting] = useState<Hold>();
  const found = useQuery(holds(organisation, page));
  const settle = () => void queries.invalidateQueries({ queryKey: ["admin"] });
  const add = useMutation({ mutationFn: (to: { document: number | undefined; reason: string }) => addHold(organisation, to.document, to.reason), onSuccess: () => { settle(); setAdding(false); } });
  const lift = useMutation({ mutationFn: (reason: string) => liftHold(lifting!.id, reason), onSuccess: () => { settle(); setLifting(undefined); } });
  const pages = found.data?.pagination.total_page ?? 0;
  return (
    <Stack component="section" aria-label={t("retention.holds")} gap="sm">
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: "1 1 16rem" }}>
          <Title order={2} size="h5">{t("retention.holds")}</Title>
          <Text size="sm" c="dimmed">{t("retention.holdsLead")}</Text>
        </div>
        {!auditor && !adding && <Button variant="default" onClick={() => { add.reset(); setAdding(true); }}>{t("retention.add")}</Button>}
      </Group>
      {adding && <Paper withBorder p="md"><Setting error={add.error} pending={add.isPending} submit={add.mutate} close={() => setAdding(false)} /></Paper>}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data?.holds.length === 0 && <Text c="dimmed" role="status">{t("retention.noHolds")}</Text>}
      <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>
        {found.data?.holds.map((h) => (
          <Line key={h.id} title={h.reason} end={!auditor && <Button size="xs" variant="default" aria-label={t("retention.liftOf", { reason: h.reason })} onClick={() => { lift.reset(); setLifting(h); }}>{t("retention.lift")}</Button>}>
            <Facts of={[h.document ? <About document={h.document} /> : t("retention.all"), h.document && `#${h.document.id}`, t("retention.set", { when: when(h.set_at) })]} />
          </Line>
        ))}
      </Stack>
      {pages > 1 && <Paging page={page} total={pages} change={setPage} />}
      <Dialog opened={lifting !== undefined} onClose={() => setLifting(undefined)} title={t("retention.liftTitle")}>
        <Lifting error={lift.error} pending={lift.isPending} submit={lift.mutate} close={() => setLifting(undefined)} />
      </Dialog>
    </Stack>
  );
}

interface FormProps<T> {
  error: Error | null;
  pending: boolean;
  submit: (to: T) => void;
  close: () => void;
}

function Setting({ error, pending, submit, close }: FormProps<{ document: number | undefined; reason: string }>) {
  const t = useText();
  const [number, setNumber] = useState(""), [reason, setReason] = useState("");
  const problem = error instanceof Problem ? error : undefined;
  const ofNumber = problem && (problem.of("document_id") ?? (problem.reason === "document.not_found" ? problem.message : undefined));
  const send = (e: FormEvent) => {
    e.preventDefault();
    submit({ document: number === "" ? undefined : Number(number), reason });
  };
  return (
    <Stack gap="sm" component="form" onSubmit={send} {...{ noValidate: true }} aria-label={t("retention.add")}>
      <TextInput label={t("retention.document")} description={t("retention.documentHint")} inputMode="numeric" autoFocus value={number} onChange={(e) => setNumber(e.currentTarget.value.replace(/\D/g, "").slice(0, 15))} error={ofNumber} />
      <TextInput label={t("retention.reason")} required value={reason} onChange={(e) => setReason(e.currentTarget.value)} error={problem?.of("reason")} />
      {error && !ofNumber && !problem?.of("reason") && <Trouble error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>{t("close")}</Button>
        <Button type="submit" loading={pending}>{t("retention.add")}</Button>
      </Group>
    </Stack>
  );
}

function Lifting({ error, pending, submit, close }: FormProps<string>) {
  const t = useText();
  const [reason, setReason] = useState("");
  const problem = error instanceof Problem ? error.of("reason") : undefined;
  const send = (e: FormEvent) => {
    e.preventDefault();
    submit(reason);
  };
  return (
    <Stack component="form" onSubmit={send} {...{ noValidate: true }} aria-label={t("retention.liftTitle")}>
      <Text size="sm">{t("retention.liftAsk")}</Text>
      <TextInput label={t("retention.liftReason")} required data-autofocus value={reason} onChange={(e) => setReason(e.currentTarget.value)} error={problem} />
      {error && !problem && <Trouble error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>{t("close")}</Button>
        <Button type="submit" loading={pending}>{t("retention.lift")}</Button>
      </Group>
    </Stack>
  );
}
