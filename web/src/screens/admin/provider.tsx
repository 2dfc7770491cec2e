import { ActionIcon, Alert, Badge, Button, Checkbox, Fieldset, Group, NumberInput, Paper, Select, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { useQuery, type MutationStatus } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import { loginProvider, people, providers, roles, type LoginDomain, type LoginProvider, type ProviderSettings, type Role } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { Secret } from "../../ui/secret";
import { Trouble } from "../../ui/trouble";
import { Confirm, Copied, useChange } from "./change";
import { Directory } from "./directory";
import { Facts, Line, useWhen, type SectionProps } from "./lines";

/** Provider is how the people of an organisation log in with their company: its provider, and the mail domains that lead there. */
export function Provider({ search }: SectionProps) {
  const t = useText();
  const found = useQuery(loginProvider(search.organisation));
  return (
    <Stack>
      <div>
        <Title order={2} size="h5">{t("provider.title")}</Title>
        <Text size="sm" c="dimmed">{t("provider.lead")}</Text>
      </div>
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && (
        <>
          <Addresses of={found.data} />
          <Form key={`${found.data.organisation} ${found.data.configured}`} stored={found.data} />
          <Domains of={found.data} />
          <Directory organisation={found.data.organisation} />
        </>
      )}
    </Stack>
  );
}

/** Addresses are what the provider has to know of this service. */
function Addresses({ of }: { of: LoginProvider }) {
  const t = useText();
  return (
    <Paper withBorder p="md" component="section" aria-label={t("provider.addresses")}>
      <Title order={3} size="h6">{t("provider.addresses")}</Title>
      <Text size="sm" c="dimmed">{t("provider.addressesLead")}</Text>
      <Copied label={t("provider.redirect")} text={of.redirect_url} />
      <Copied label={t("provider.logout")} text={of.logout_url} />
    </Paper>
  );
}

/** What is set, without the secret of the client, which the service never shows. */
const settingsOf = (p: LoginProvider): ProviderSettings => ({
  issuer: p.issuer, client_id: p.client_id, enabled: p.enabled, create: p.create, groups_claim: p.groups_claim, groups: p.groups.map(({ group, role }) => ({ group, role })), require_group: p.require_group,
  password_off: p.password_off, exempt: [...p.exempt], provider_factor: p.provider_factor, factor_acr: p.factor_acr, max_age: p.max_age,
});

function Form({ stored }: { stored: LoginProvider }) {
  const t = useText();
  const [to, setTo] = useState(() => settingsOf(stored));
  const [secret, setSecret] = useState("");
  const [removing, setRemoving] = useState(false);
  const save = useChange(() => providers.set(stored.organisation, { ...to, ...(secret === "" ? {} : { client_secret: secret }) }), () => setSecret(""));
  const test = useChange(() => providers.test(stored.organisation));
  const problem = save.error instanceof Problem ? save.error : undefined;
  const put = (change: Partial<ProviderSettings>) => { setTo({ ...to, ...change }); save.reset(); };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  const shown = ["issuer", "client_id", "client_secret", "groups_claim", "factor_acr", "max_age", "exempt"];
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("provider.settings")}>
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={3} size="h6">{t("provider.settings")}</Title>
          {stored.configured && <Badge variant="outline" color={stored.enabled ? "seal" : "gray"}>{t(stored.enabled ? "provider.on" : "provider.off")}</Badge>}
        </Group>
        <TextInput label={t("provider.issuer")} description={t("provider.issuerHint")} type="url" required value={to.issuer} onChange={(e) => put({ issuer: e.currentTarget.value })} error={problem?.of("issuer")} maxLength={1000} />
        <Group align="flex-start" gap="sm">
          <TextInput style={{ flex: "1 1 14rem" }} label={t("provider.client")} required value={to.client_id} onChange={(e) => put({ client_id: e.currentTarget.value })} error={problem?.of("client_id")} maxLength={255} />
          <Secret style={{ flex: "1 1 14rem" }} label={t("provider.secret")} description={t(stored.has_secret ? "provider.secretStored" : "provider.secretHint")} autoComplete="off" value={secret}
            onChange={(e) => { setSecret(e.currentTarget.value); save.reset(); }} error={problem?.of("client_secret")} />
        </Group>
        <Checkbox label={t("provider.enabled")} checked={to.enabled} onChange={(e) => put({ enabled: e.currentTarget.checked })} />
        <Checkbox label={t("provider.create")} description={t("provider.createHint")} checked={to.create} onChange={(e) => put({ create: e.currentTarget.checked })} />
        <Groups to={to} put={put} problem={problem} />
        <Fieldset legend={t("provider.factors")} variant="unstyled">
          <Stack gap="sm">
            <Checkbox label={t("provider.factor")} description={t("provider.factorHint")} checked={to.provider_factor} onChange={(e) => put({ provider_factor: e.currentTarget.checked })} />
            <Group align="flex-start" gap="sm">
              <TextInput style={{ flex: "1 1 14rem" }} label={t("provider.acr")} description={t("provider.acrHint")} disabled={!to.provider_factor} value={to.factor_acr} onChange={(e) => put({ factor_acr: e.currentTarget.value })} error={problem?.of("factor_acr")} maxLength={255} />
              <NumberInput style={{ flex: "1 1 14rem" }} label={t("provider.maxAge")} description={t("provider.maxAgeHint")} min={0} max={720} decimalScale={2} allowNegative={false} value={to.max_age / 3600}
                onChange={(v) => put({ max_age: Math.round((Number(v) || 0) * 3600) })} error={problem?.of("max_age")} />
            </Group>
          </Stack>
        </Fieldset>
        <Fieldset legend={t("provider.passwords")} variant="unstyled">
          <Stack gap="sm">
            <Checkbox label={t("provider.passwordOff")} description={t("provider.passwordOffHint")} checked={to.password_off} onChange={(e) => put({ password_off: e.currentTarget.checked })} />
            <Exempt organisation={stored.organisation} value={to.exempt} change={(exempt) => put({ exempt })} error={problem?.of("exempt") ?? problem?.fields.find((f) => f.field.startsWith("exempt["))?.msg} />
          </Stack>
        </Fieldset>
        {save.isError && !problem?.fields.some((f) => shown.includes(f.field) || /^(exempt|groups)\b/.test(f.field)) && <Trouble error={save.error} />}
        {test.isError && <Trouble error={test.error} />}
        <Tested status={test.status} result={test.data as Awaited<ReturnType<typeof providers.test>> | undefined} />
        <Group justify="flex-end" gap="sm">
          <Text size="sm" role="status">{save.isSuccess && t("provider.saved")}</Text>
          {stored.configured && <Button variant="subtle" color="red" onClick={() => setRemoving(true)}>{t("provider.remove")}</Button>}
          {stored.configured && <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>{t("provider.test")}</Button>}
          <Button type="submit" loading={save.isPending}>{t("provider.save")}</Button>
        </Group>
      </Stack>
      <Confirm opened={removing} title={t("provider.remove")} text={t("provider.removeAsk")} act={() => providers.remove(stored.organisation)} close={() => setRemoving(false)} />
    </Paper>
  );
}

/** Tested is the sentence of the service about the metadata of the provider. */
function Tested({ status, result }: { status: MutationStatus; result: { works: boolean; msg: string } | undefined }) {
  if (status !== "success" || !result) return null;
  return <Alert role="status" variant="light" color={result.works ? "seal" : "red"} p="xs"><Text size="sm">{result.msg}</Text></Alert>;
}

interface GroupsProps {
  to: ProviderSettings;
  put: (change: Partial<ProviderSettings>) => void;
  problem: Problem | undefined;
}

/** Groups says which role a group of the provider gives. The first group that a person is in counts. */
function Groups({ to, put, problem }: GroupsProps) {
  const t = useText();
  const set = (at: number, change: Partial<ProviderSettings["groups"][number]>) => put({ groups: to.groups.map((g, i) => (i === at ? { ...g, ...change } : g)) });
  return (
    <Fieldset legend={t("provider.groups")} variant="unstyled">
      <Stack gap="sm">
        <Text size="xs" c="dimmed">{t("provider.groupsLead")}</Text>
        {to.groups.map((g, i) => (
          <Group key={i} gap="sm" align="flex-end" role="group" aria-label={t("provider.groupNumber", { number: i + 1 })}>
            <TextInput style={{ flex: "2 1 10rem" }} label={t("provider.group")} value={g.group} onChange={(e) => set(i, { group: e.currentTarget.value })} error={problem?.of(`groups[${i}].group`)} maxLength={255} />
            <Select style={{ flex: "1 1 8rem" }} label={t("provider.role")} allowDeselect={false} value={g.role} onChange={(v) => set(i, { role: v as Role })} data={roles.map((r) => ({ value: r, label: t(`admin.accountRoles.${r}`) }))} />
            <ActionIcon size="input-sm" variant="subtle" color="red" aria-label={t("provider.removeGroup", { number: i + 1 })} onClick={() => put({ groups: to.groups.filter((_, n) => n !== i) })}><IconTrash size={16} aria-hidden /></ActionIcon>
          </Group>
        ))}
        {problem?.of("groups") && <Text size="xs" c="red" role="alert">{problem.of("groups")}</Text>}
        <Group><Button size="xs" variant="default" onClick={() => put({ groups: [...to.groups, { group: "", role: "sender" }] })}>{t("provider.addGroup")}</Button></Group>
        <Checkbox label={t("provider.requireGroup")} checked={to.require_group} onChange={(e) => put({ require_group: e.currentTarget.checked })} />
        <TextInput label={t("provider.claim")} description={t("provider.claimHint")} maw={320} value={to.groups_claim} onChange={(e) => put({ groups_claim: e.currentTarget.value })} error={problem?.of("groups_claim")} maxLength={255} />
      </Stack>
    </Fieldset>
  );
}

/** Exempt chooses the administrators who may use a password all the same. */
function Exempt({ organisation, value, change, error }: { organisation: string; value: string[]; change: (to: string[]) => void; error: string | undefined }) {
  const t = useText();
  const [text, setText] = useState("");
  const [find] = useDebouncedValue(text, 300);
  const first = useQuery(people({ page: 1, organisation })), found = useQuery(people({ page: 1, organisation, find }));
  const known = new Map([first, found].flatMap((q) => q.data?.people ?? []).filter((x) => x.role === "admin").map((x) => [x.id, x.email]));
  return (
    <Stack gap={6}>
      <Select label={t("provider.exempt")} description={t("provider.exemptHint")} maw={480} searchable searchValue={text} onSearchChange={setText} nothingFoundMessage={t("admin.nothingFound")} value={null}
        onChange={(id) => { if (id) change([...value, id]); setText(""); }} error={error} data={[...known].filter(([id]) => !value.includes(id)).map(([id, email]) => ({ value: id, label: email }))} />
      {value.length > 0 && (
        <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: "none" }}>
          {value.map((id) => (
            <Group key={id} component="li" gap="xs" wrap="nowrap">
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>{known.get(id) ?? id}</Text>
              <ActionIcon size="sm" variant="subtle" color="red" aria-label={t("provider.removeExempt", { name: known.get(id) ?? id })} onClick={() => change(value.filter((x) => x !== id))}><IconTrash size={14} aria-hidden /></ActionIcon>
            </Group>
          ))}
        </Stack>
      )}
    </Stack>
  );
}

/** Domains lists the mail domains whose people are sent to the provider. */
function Domains({ of }: { of: LoginProvider }) {
  const t = useText();
  const [name, setName] = useState("");
  const [removing, setRemoving] = useState<LoginDomain>();
  const add = useChange(() => providers.claimDomain(of.organisation, name), () => setName(""));
  const problem = add.error instanceof Problem ? add.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (name.trim() !== "") add.mutate();
  };
  return (
    <Paper withBorder p="md" component="section" aria-label={t("provider.domains")}>
      <Stack gap="sm">
        <div>
          <Title order={3} size="h6">{t("provider.domains")}</Title>
          <Text size="sm" c="dimmed">{t(of.dns_proof ? "provider.domainsDNS" : "provider.domainsLead")}</Text>
        </div>
        {of.domains.length === 0 && <Text size="sm" c="dimmed" role="status">{t("provider.noDomains")}</Text>}
        {of.domains.length > 0 && (
          <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>{of.domains.map((d) => <Domain key={d.domain} provider={of} domain={d} remove={() => setRemoving(d)} />)}</Stack>
        )}
        <Group component="form" onSubmit={submit} gap="sm" align="flex-end" {...{ noValidate: true }} aria-label={t("provider.addDomain")}>
          <TextInput style={{ flex: "1 1 12rem" }} maw={320} label={t("provider.domain")} placeholder="contoh.id" value={name} onChange={(e) => { setName(e.currentTarget.value); add.reset(); }} error={problem?.of("domain")} maxLength={253} />
          <Button type="submit" variant="default" loading={add.isPending}>{t("provider.addDomain")}</Button>
        </Group>
        {add.isError && !problem?.of("domain") && <Trouble error={add.error} />}
      </Stack>
      <Confirm opened={removing !== undefined} title={t("provider.removeDomain")} text={t("provider.removeDomainAsk", { domain: removing?.domain ?? "" })} act={() => providers.removeDomain(of.organisation, removing!.domain)} close={() => setRemoving(undefined)} />
    </Paper>
  );
}

function Domain({ provider: p, domain: d, remove }: { provider: LoginProvider; domain: LoginDomain; remove: () => void }) {
  const t = useText();
  const when = useWhen();
  const operator = useAccount()?.role === "operator";
  const prove = useChange(() => providers.proveDomain(p.organisation, d.domain)), grant = useChange(() => providers.grantDomain(p.organisation, d.domain));
  const error = prove.error ?? grant.error;
  return (
    <Line title={d.domain} badge={<Badge variant="outline" color={d.granted ? "seal" : "yellow"}>{t(d.granted ? "provider.granted" : "provider.waiting")}</Badge>}
      end={(
        <Group gap="xs" role="group" aria-label={t("provider.actions", { domain: d.domain })}>
          {!d.granted && p.dns_proof && <Button size="xs" variant="default" loading={prove.isPending} onClick={() => prove.mutate()}>{t("provider.prove")}</Button>}
          {!d.granted && operator && <Button size="xs" variant="default" loading={grant.isPending} onClick={() => grant.mutate()}>{t("provider.grant")}</Button>}
          <Button size="xs" variant="subtle" color="red" onClick={remove}>{t("provider.removeDomain")}</Button>
        </Group>
      )}>
      <Facts of={[d.granted ? t(d.granted_by === "dns" ? "provider.byDNS" : "provider.byOperator", { when: when(d.granted_at) }) : t("provider.named", { when: when(d.claimed_at) })]} />
      {!d.granted && p.dns_proof && (
        <>
          <Copied label={t("provider.recordName")} text={d.record_name} />
          <Copied label={t("provider.recordValue")} text={d.record_value} />
        </>
      )}
      {error && <Trouble error={error} />}
    </Line>
  );
}
