import { Alert, Badge, Button, Checkbox, Code, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { addWebhook, deleteWebhook, deliveries, deliveryStates, replayDelivery, replaySince, rotateWebhook, setWebhook, testWebhook, webhooks, type Delivery, type Webhook, type WebhookSettings } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Dialog } from "../../ui/dialog";
import { Loading } from "../../ui/loading";
import { moment } from "../../ui/moment";
import { Trouble } from "../../ui/trouble";
import { withoutFilters, type AdminSearch } from "./flow";
import { Facts, Filtering, Find, Line, Lines, Only, useWhen, type SectionProps } from "./lines";

type Open = { what: "change" | "deliveries" | "rotate" | "delete"; webhook: Webhook };

/** Webhooks lists the addresses that events are sent to. An operator chooses the organisation; without a choice it is their own. */
export function Webhooks({ search }: SectionProps) {
  const t = useText();
  const found = useQuery(webhooks(search.organisation));
  const [adding, setAdding] = useState(false);
  const [open, setOpen] = useState<Open>();
  const [secret, setSecret] = useState<string>();
  const close = () => setOpen(undefined);
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: "1 1 16rem" }}>
          <Title order={2} size="h5">{t("webhooks.title")}</Title>
          <Text size="sm" c="dimmed">{t("webhooks.lead")}</Text>
        </div>
        {!adding && <Button variant="default" onClick={() => setAdding(true)}>{t("webhooks.add")}</Button>}
      </Group>
      {secret && <Secret secret={secret} close={() => setSecret(undefined)} />}
      {adding && found.data && <Add types={found.data.types} organisation={search.organisation} close={() => setAdding(false)} made={(s) => { setAdding(false); setSecret(s); }} />}
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data?.webhooks.length === 0 && <Text c="dimmed" role="status">{t("webhooks.none")}</Text>}
      {found.data && found.data.webhooks.length > 0 && (
        <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>{found.data.webhooks.map((w) => <One key={w.id} webhook={w} open={setOpen} />)}</Stack>
      )}
      <Dialog opened={open?.what === "change"} onClose={close} title={t("webhooks.change")}>
        {open && found.data && <Change webhook={open.webhook} types={found.data.types} close={close} />}
      </Dialog>
      <Dialog opened={open?.what === "deliveries"} onClose={close} title={t("webhooks.deliveries")}>{open && <Deliveries webhook={open.webhook} />}</Dialog>
      <Dialog opened={open?.what === "rotate"} onClose={close} title={t("webhooks.rotate")}>
        {open && <Confirm text={t("webhooks.rotateAsk")} yes={t("webhooks.rotate")} act={async () => setSecret((await rotateWebhook(open.webhook.id)).secret)} close={close} />}
      </Dialog>
      <Dialog opened={open?.what === "delete"} onClose={close} title={t("webhooks.delete")}>
        {open && <Confirm text={t("webhooks.deleteAsk")} yes={t("webhooks.delete")} act={() => deleteWebhook(open.webhook.id)} close={close} />}
      </Dialog>
    </Stack>
  );
}

function One({ webhook: w, open }: { webhook: Webhook; open: (o: Open) => void }) {
  const t = useText();
  const when = useWhen();
  const queries = useQueryClient();
  const settle = () => void queries.invalidateQueries({ queryKey: ["admin"] });
  const set = useMutation({ mutationFn: () => setWebhook(w.id, { url: w.url, description: w.description, types: w.types, enabled: !w.enabled }), onSettled: settle });
  const test = useMutation({ mutationFn: () => testWebhook(w.id), onSuccess: () => { settle(); open({ what: "deliveries", webhook: w }); } });
  const problem = set.error ?? test.error;
  return (
    <Line title={w.url} badge={<Badge variant="outline" color={w.enabled ? "seal" : "red"}>{t(w.enabled ? "webhooks.on" : "webhooks.off")}</Badge>}
      end={(
        <Group gap="xs" role="group" aria-label={t("webhooks.actions", { url: w.url })}>
          <Button size="xs" variant="default" onClick={() => open({ what: "deliveries", webhook: w })}>{t("webhooks.deliveries")}</Button>
          <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>{t("webhooks.test")}</Button>
          <Button size="xs" variant="default" onClick={() => open({ what: "change", webhook: w })}>{t("webhooks.change")}</Button>
          <Button size="xs" variant="default" onClick={() => open({ what: "rotate", webhook: w })}>{t("webhooks.rotate")}</Button>
          <Button size="xs" variant="default" loading={set.isPending} onClick={() => set.mutate()}>{t(w.enabled ? "webhooks.disable" : "webhooks.enable")}</Button>
          <Button size="xs" variant="subtle" color="red" onClick={() => open({ what: "delete", webhook: w })}>{t("webhooks.delete")}</Button>
        </Group>
      )}>
      <Facts of={[w.description, w.types.length === 0 ? t("webhooks.all") : w.types.join(", "), when(w.created_at)]} />
      {w.disabled_for && <Facts of={[t(`webhooks.for.${w.disabled_for}`), when(w.disabled_at)]} />}
      {w.enabled && w.failing_since && <Facts of={[t("webhooks.failing", { when: when(w.failing_since) })]} />}
      {problem && <Trouble error={problem} />}
    </Line>
  );
}

function Add({ types, organisation, close, made }: { types: readonly string[]; organisation: string | undefined; close: () => void; made: (secret: string) => void }) {
  const t = useText();
  const queries = useQueryClient();
  const add = useMutation({
    mutationFn: (to: WebhookSettings) => addWebhook(to, organisation),
    onSuccess: (w) => { void queries.invalidateQueries({ queryKey: ["admin", "webhooks"] }); made(w.secret); },
  });
  return (
    <Paper withBorder p="md">
      <Form name={t("webhooks.add")} types={types} settings={{ url: "https://", description: "", types: [], enabled: true }} error={add.error} pending={add.isPending} submit={add.mutate} close={close} />
    </Paper>
  );
}

function Change({ webhook: w, types, close }: { webhook: Webhook; types: readonly string[]; close: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (to: WebhookSettings) => setWebhook(w.id, to),
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ["admin", "webhooks"] }); close(); },
  });
  return <Form name={t("webhooks.save")} types={types} settings={{ url: w.url, description: w.description, types: [...w.types], enabled: w.enabled }} error={set.error} pending={set.isPending} submit={set.mutate} close={close} />;
}

interface FormProps {
  /** What the form does, on its button. */
  name: string;
  types: readonly string[];
  settings: WebhookSettings;
  error: Error | null;
  pending: boolean;
  submit: (to: WebhookSettings) => void;
  close: () => void;
}

/** Form takes the address, the description and the types of events of a webhook. */
function Form({ name, types, settings, error, pending, submit, close }: FormProps) {
  const t = useText();
  const [to, setTo] = useState(settings);
  const problem = error instanceof Problem ? error : undefined;
  const send = (e: FormEvent) => {
    e.preventDefault();
    submit(to);
  };
  return (
    <Stack gap="sm" component="form" onSubmit={send} {...{ noValidate: true }} aria-label={name}>
      <TextInput label={t("webhooks.url")} type="url" required autoFocus value={to.url} onChange={(e) => setTo({ ...to, url: e.currentTarget.value })} error={problem?.of("url")} maxLength={2000} />
      <TextInput label={t("webhooks.description")} value={to.description} onChange={(e) => setTo({ ...to, description: e.currentTarget.value })} error={problem?.of("description")} maxLength={200} />
      <Stack gap={6} role="group" aria-label={t("webhooks.types")}>
        <Text size="sm" fw={500}>{t("webhooks.types")}</Text>
        <Checkbox label={t("webhooks.all")} checked={to.types.length === 0} onChange={() => setTo({ ...to, types: [] })} />
        <Group gap="sm">
          {types.map((x) => <Checkbox key={x} size="xs" label={x} checked={to.types.includes(x)} onChange={(e) => setTo({ ...to, types: e.currentTarget.checked ? [...to.types, x] : to.types.filter((c) => c !== x) })} />)}
        </Group>
      </Stack>
      {error && !problem?.fields.length && <Trouble error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>{t("webhooks.cancel")}</Button>
        <Button type="submit" loading={pending}>{name}</Button>
      </Group>
    </Stack>
  );
}

function Secret({ secret, close }: { secret: string; close: () => void }) {
  const t = useText();
  return (
    <Alert color="seal" variant="light" icon={<IconKey aria-hidden />} title={t("webhooks.secret")} role="status" withCloseButton closeButtonLabel={t("close")} onClose={close}>
      <Group gap="xs" wrap="nowrap"><Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }} data-webhook-secret>{secret}</Text><Copy text={secret} /></Group>
      <Text size="sm">{t("webhooks.secretHint")}</Text>
    </Alert>
  );
}

function Confirm({ text, yes, act, close }: { text: string; yes: string; act: () => Promise<unknown>; close: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const run = useMutation({ mutationFn: act, onSuccess: () => { void queries.invalidateQueries({ queryKey: ["admin"] }); close(); } });
  return (
    <Stack gap="sm">
      <Text size="sm">{text}</Text>
      {run.isError && <Trouble error={run.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>{t("webhooks.cancel")}</Button>
        <Button loading={run.isPending} onClick={() => run.mutate()}>{yes}</Button>
      </Group>
    </Stack>
  );
}

const colours = { ordered: "blue", delivered: "seal", dead: "red" } as const;

/** Deliveries shows what became of events, the newest first. Its filters are not in the address: it is a dialog of a list. */
function Deliveries({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const [search, setSearch] = useState<AdminSearch>({ tab: "webhooks", page: 1 });
  const list: SectionProps = { search, selection: search, change: (to) => setSearch((s) => ({ ...s, page: 1, ...to })), clear: () => setSearch(withoutFilters) };
  const found = useQuery(deliveries(webhook.id, search));
  return (
    <Stack gap="sm">
      <Replay webhook={webhook} />
      <Filtering>
        <Only {...list} label={t("admin.mailStatus")} words={deliveryStates.map((value) => ({ value, label: t(`webhooks.states.${value}`) }))} />
        <Find {...list} by="document" label={t("admin.documentNumber")} />
      </Filtering>
      <Lines {...list} of={found} items={(d) => d.deliveries} empty={t("webhooks.noDeliveries")}>{(d) => <Sent key={d.id} webhook={webhook} delivery={d} />}</Lines>
    </Stack>
  );
}

/** Replay sends all events since a time again. */
function Replay({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const queries = useQueryClient();
  const [since, setSince] = useState(() => moment(new Date(Date.now() - 86_400_000)));
  const replay = useMutation({
    mutationFn: () => replaySince(webhook.id, new Date(since).toISOString()),
    onSettled: () => void queries.invalidateQueries({ queryKey: ["admin", "deliveries"] }),
  });
  const problem = replay.error instanceof Problem ? replay.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    replay.mutate();
  };
  return (
    <Stack gap={4} component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("webhooks.replay")}>
      <Group align="flex-end" gap="xs">
        <TextInput type="datetime-local" label={t("webhooks.since")} value={since} max={moment(new Date())} onChange={(e) => { replay.reset(); setSince(e.currentTarget.value); }} error={problem?.of("since")} />
        <Button type="submit" size="sm" variant="default" loading={replay.isPending} disabled={since === ""}>{t("webhooks.replay")}</Button>
      </Group>
      <Text size="sm" role="status">{replay.isSuccess && t("webhooks.replayed")}</Text>
      {replay.isError && !problem?.of("since") && <Trouble error={replay.error} />}
    </Stack>
  );
}

function Sent({ webhook, delivery: d }: { webhook: Webhook; delivery: Delivery }) {
  const t = useText();
  const when = useWhen();
  const queries = useQueryClient();
  const [whole, setWhole] = useState(false);
  const again = useMutation({ mutationFn: () => replayDelivery(webhook.id, d.id), onSettled: () => void queries.invalidateQueries({ queryKey: ["admin", "deliveries"] }) });
  return (
    <Line title={d.type} badge={<Badge variant="outline" color={colours[d.status]}>{t(`webhooks.states.${d.status}`)}</Badge>}
      end={d.status !== "ordered" && <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>{t("webhooks.again")}</Button>}>
      <Facts of={[when(d.ordered_at), d.document_id > 0 && t("webhooks.document", { id: d.document_id }), d.tries > 0 && t("webhooks.tries", { count: d.tries })]} />
      {d.try && d.try.status > 0 && <Facts of={[t("webhooks.answered", { status: d.try.status, ms: d.try.milliseconds })]} />}
      {d.try?.problem && <Facts of={[d.try.problem]} />}
      {d.try && !whole && <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)} style={{ alignSelf: "flex-start" }}>{t("webhooks.more")}</Button>}
      {d.try && whole && (
        <>
          <Text size="xs" fw={600}>{t("webhooks.request")}</Text>
          <Code block style={{ maxHeight: 200, overflow: "auto" }} tabIndex={0}>{d.try.request}</Code>
          <Text size="xs" fw={600}>{t("webhooks.response")}</Text>
          <Code block style={{ maxHeight: 200, overflow: "auto" }} tabIndex={0}>{d.try.response}</Code>
        </>
      )}
      {again.isError && <Trouble error={again.error} />}
    </Line>
  );
}
