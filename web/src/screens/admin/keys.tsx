import { Alert, Badge, Button, Checkbox, Group, NumberInput, Paper, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import { createKey, keyScopes, keyStatuses, memberKeys, ownKeys, revokeKey, revokeMemberKey, type Key, type KeySettings, type MemberKey } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Dialog } from "../../ui/dialog";
import { ScreenTitle } from "../../ui/screen-title";
import { Trouble } from "../../ui/trouble";
import { withoutFilters, type AdminSearch } from "./flow";
import { Facts, Filtering, Find, Line, Lines, Only, useWhen, type SectionProps } from "./lines";

/** MemberKeys lists the API keys of the people of an organisation. An administrator revokes them. */
export function MemberKeys(props: SectionProps) {
  const t = useText();
  const found = useQuery(memberKeys(props.selection));
  const [asked, setAsked] = useState<Key>();
  return (
    <Stack>
      <div>
        <Title order={2} size="h5">{t("apiKeys.all")}</Title>
        <Text size="sm" c="dimmed">{t("apiKeys.allLead")}</Text>
      </div>
      <Filters {...props} label={t("apiKeys.findAny")} />
      <Lines {...props} of={found} items={(d) => d.keys} empty={t("apiKeys.none")}>
        {(m: MemberKey) => <One key={m.key.id} of={m.key} holder={`${m.person_name} <${m.person_email}>`} revoke={() => setAsked(m.key)} />}
      </Lines>
      <Revoke of={asked} act={revokeMemberKey} close={() => setAsked(undefined)} />
    </Stack>
  );
}

function Filters({ label, ...props }: SectionProps & { label: string }) {
  const t = useText();
  return (
    <Filtering>
      <Find {...props} label={label} />
      <Only {...props} label={t("list.status")} words={keyStatuses.map((s) => ({ value: s, label: t(`apiKeys.status.${s}`) }))} />
    </Filtering>
  );
}

/** Keys is where people make and revoke the keys of programs that act as them. */
export function Keys() {
  const t = useText();
  const [search, setSearch] = useState<AdminSearch>({ tab: "keys", page: 1 });
  const list: SectionProps = { search, selection: search, change: (to) => setSearch({ ...search, page: 1, ...to }), clear: () => setSearch(withoutFilters(search)) };
  const found = useQuery(ownKeys(search));
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [asked, setAsked] = useState<Key>();
  return (
    <Stack maw={900} mx="auto">
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: "1 1 16rem" }}>
          <ScreenTitle>{t("apiKeys.title")}</ScreenTitle>
          <Text size="sm" c="dimmed">{t("apiKeys.lead")}</Text>
        </div>
        {!adding && <Button variant="default" onClick={() => setAdding(true)}>{t("apiKeys.add")}</Button>}
      </Group>
      {secret && <Secret secret={secret} close={() => setSecret(undefined)} />}
      {adding && <Add close={() => setAdding(false)} made={(s) => { setAdding(false); setSecret(s); }} />}
      <Filters {...list} label={t("apiKeys.find")} />
      <Lines {...list} of={found} items={(d) => d.keys} empty={t("apiKeys.none")}>{(k: Key) => <One key={k.id} of={k} revoke={() => setAsked(k)} />}</Lines>
      <Revoke of={asked} act={revokeKey} close={() => setAsked(undefined)} />
    </Stack>
  );
}

const colours = { active: "seal", expired: "gray", revoked: "red" } as const;

function One({ of: k, holder, revoke }: { of: Key; holder?: string; revoke: () => void }) {
  const t = useText();
  const when = useWhen();
  const status = k.status as keyof typeof colours;
  return (
    <Line title={k.name}
      badge={(
        <>
          <Badge variant="outline" color={colours[status]}>{t(`apiKeys.status.${status}`)}</Badge>
          {k.test && <Badge variant="outline" color="yellow">{t("apiKeys.test")}</Badge>}
        </>
      )}
      end={status === "active" && <Button size="xs" variant="subtle" color="red" onClick={revoke} aria-label={t("apiKeys.revokeOf", { name: k.name })}>{t("apiKeys.revoke")}</Button>}>
      <Facts of={[holder, `${k.hint}…`, k.scopes.join(", "), k.networks.length > 0 && t("apiKeys.only", { networks: k.networks.join(", ") })]} />
      <Facts of={[
        t("apiKeys.created", { when: when(k.created_at) }),
        k.revoked_at ? t("apiKeys.revokedAt", { when: when(k.revoked_at) }) : k.expires_at && t("apiKeys.until", { when: when(k.expires_at) }),
        k.last_used_at ? t("apiKeys.used", { when: when(k.last_used_at), network: k.last_network ?? "" }) : t("apiKeys.unused"),
      ]} />
    </Line>
  );
}

function Add({ close, made }: { close: () => void; made: (secret: string) => void }) {
  const t = useText();
  const queries = useQueryClient();
  const role = useAccount()?.role;
  const admin = role === "admin" || role === "operator";
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<string[]>(["documents:read"]);
  const [networks, setNetworks] = useState("");
  const [days, setDays] = useState<number | "">(365);
  const [test, setTest] = useState(false);
  const add = useMutation({
    mutationFn: (settings: KeySettings) => createKey(settings),
    onSuccess: (k) => { void queries.invalidateQueries({ queryKey: ["keys"] }); made(k.secret); },
  });
  const problem = add.error instanceof Problem ? add.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    const expires = days === "" || days === 0 ? {} : { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() };
    add.mutate({ name, scopes, networks: networks.split(/[\s,]+/).filter((n) => n !== ""), test, ...expires });
  };
  const choose = (scope: string, on: boolean) => setScopes(on ? [...scopes, scope] : scopes.filter((s) => s !== scope));
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("apiKeys.add")}>
      <Stack gap="sm">
        <TextInput label={t("apiKeys.name")} description={t("apiKeys.nameHint")} required autoFocus maxLength={100} value={name} onChange={(e) => setName(e.currentTarget.value)} error={problem?.of("name")} />
        <Stack gap={6} role="group" aria-label={t("apiKeys.scopes")}>
          <Text size="sm" fw={500}>{t("apiKeys.scopes")}</Text>
          {keyScopes.filter((s) => s !== "admin" || admin).map((s) => (
            <Checkbox key={s} label={s} description={t(`apiKeys.scope.${s.replace(":", "_") as "sign"}`)} checked={scopes.includes(s)} onChange={(e) => choose(s, e.currentTarget.checked)} />
          ))}
          {problem?.of("scopes") && <Text size="xs" c="red" role="alert">{problem.of("scopes")}</Text>}
        </Stack>
        <Textarea label={t("apiKeys.networks")} description={t("apiKeys.networksHint")} autosize minRows={1} value={networks} onChange={(e) => setNetworks(e.currentTarget.value)} error={problem?.of("networks")} />
        <NumberInput label={t("apiKeys.days")} description={t("apiKeys.daysHint")} min={0} max={1825} allowDecimal={false} allowNegative={false} value={days} onChange={(v) => setDays(v === "" ? "" : Number(v))} error={problem?.of("expires_at")} maw={260} />
        <Checkbox label={t("apiKeys.testKey")} description={t("apiKeys.testHint")} checked={test} onChange={(e) => setTest(e.currentTarget.checked)} />
        {add.isError && !problem?.fields.length && <Trouble error={add.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("apiKeys.cancel")}</Button>
          <Button type="submit" loading={add.isPending}>{t("apiKeys.add")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function Secret({ secret, close }: { secret: string; close: () => void }) {
  const t = useText();
  return (
    <Alert color="seal" variant="light" icon={<IconKey aria-hidden />} title={t("apiKeys.secret")} role="status" withCloseButton closeButtonLabel={t("close")} onClose={close}>
      <Group gap="xs" wrap="nowrap"><Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }} data-api-key>{secret}</Text><Copy text={secret} /></Group>
      <Text size="sm">{t("apiKeys.secretHint")}</Text>
    </Alert>
  );
}

function Revoke({ of: k, act, close }: { of: Key | undefined; act: (id: string) => Promise<unknown>; close: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: act,
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["keys"] });
      void queries.invalidateQueries({ queryKey: ["admin"] });
      close();
    },
  });
  return (
    <Dialog opened={k !== undefined} onClose={close} title={t("apiKeys.revoke")}>
      {k && (
        <Stack gap="sm">
          <Text size="sm">{t("apiKeys.revokeAsk", { name: k.name })}</Text>
          {run.isError && <Trouble error={run.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>{t("apiKeys.cancel")}</Button>
            <Button color="red" loading={run.isPending} onClick={() => run.mutate(k.id)}>{t("apiKeys.revoke")}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
