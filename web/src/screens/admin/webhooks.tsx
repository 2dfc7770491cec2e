import { Alert, Badge, Button, Checkbox, Code, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { addWebhook, deleteWebhook, deliveries, replayDelivery, rotateWebhook, setWebhook, testWebhook, webhooks, type Delivery, type Webhook } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Dialog } from "../../ui/dialog";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import { Facts, Line, useWhen, type SectionProps } from "./lines";

type Open = { what: "deliveries" | "rotate" | "delete"; webhook: Webhook };

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
  const [url, setURL] = useState("https://");
  const [description, setDescription] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const add = useMutation({
    mutationFn: () => addWebhook({ url, description, types: chosen, enabled: true }, organisation),
    onSuccess: (w) => { void queries.invalidateQueries({ queryKey: ["admin", "webhooks"] }); made(w.secret); },
  });
  const problem = add.error instanceof Problem ? add.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    add.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("webhooks.add")}>
      <Stack gap="sm">
        <TextInput label={t("webhooks.url")} type="url" required autoFocus value={url} onChange={(e) => setURL(e.currentTarget.value)} error={problem?.of("url")} maxLength={2000} />
        <TextInput label={t("webhooks.description")} value={description} onChange={(e) => setDescription(e.currentTarget.value)} error={problem?.of("description")} maxLength={200} />
        <Stack gap={6} role="group" aria-label={t("webhooks.types")}>
          <Text size="sm" fw={500}>{t("webhooks.types")}</Text>
          <Checkbox label={t("webhooks.all")} checked={chosen.length === 0} onChange={() => setChosen([])} />
          <Group gap="sm">
            {types.map((x) => <Checkbox key={x} size="xs" label={x} checked={chosen.includes(x)} onChange={(e) => setChosen(e.currentTarget.checked ? [...chosen, x] : chosen.filter((c) => c !== x))} />)}
          </Group>
        </Stack>
        {add.isError && !problem?.fields.length && <Trouble error={add.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("webhooks.cancel")}</Button>
          <Button type="submit" loading={add.isPending}>{t("webhooks.add")}</Button>
        </Group>
      </Stack>
    </Paper>
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

/** Deliveries shows what became of the newest events. */
function Deliveries({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const found = useQuery(deliveries(webhook.id));
  if (found.isPending) return <Loading />;
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (found.data.length === 0) return <Text size="sm" c="dimmed" role="status">{t("webhooks.noDeliveries")}</Text>;
  return <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>{found.data.map((d) => <Sent key={d.id} webhook={webhook} delivery={d} />)}</Stack>;
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
