import { Badge, Button, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";

import { beginProviderLogin } from "../api/account";
import { Problem } from "../api/client";
import { loginPasskey } from "../api/passkey";
import { memberships, useAddMembership, useLeave, useSwitch, type Membership } from "../api/switch";
import { useText } from "../text";
import { FactorInput } from "../ui/factor-input";
import { Loading } from "../ui/loading";
import { ScreenTitle } from "../ui/screen-title";
import { Secret } from "../ui/secret";
import { Trouble } from "../ui/trouble";

/** What the service accepts as a second factor, if that is what a refusal asks for. */
const asked = (error: unknown) => (error instanceof Problem && error.reason === "auth.factor_required" ? error.factors : undefined);

/** Organisations is where a person switches between their accounts, and logs in to another one. */
export function Organisations() {
  const t = useText();
  const { to } = useSearch({ from: "/member/organisations" });
  const found = useQuery({ ...memberships, staleTime: 0 });
  return (
    <Stack maw={720} mx="auto">
      <div>
        <ScreenTitle>{t("switch.title")}</ScreenTitle>
        <Text size="sm" c="dimmed">{t("switch.lead")}</Text>
      </div>
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>{found.data.map((m) => <One key={m.id} of={m} open={m.business_id === to} />)}</Stack>}
      <Add />
    </Stack>
  );
}

function One({ of: m, open }: { of: Membership; open: boolean }) {
  const t = useText();
  const change = useSwitch(), leave = useLeave();
  const passkey = useMutation({ mutationFn: loginPasskey, onSuccess: (answer) => change.mutate({ business_id: m.business_id, passkey: answer }) });
  const [accepted, setAccepted] = useState<string[]>();
  const needs = asked(change.error);
  if (needs && needs !== accepted) setAccepted(needs);
  const trouble = passkey.error ?? (needs ? null : change.error) ?? leave.error;
  return (
    <Paper component="li" withBorder px="sm" py="xs">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Stack gap={2} style={{ flex: "1 1 14rem", minWidth: 0 }}>
            <Group gap="xs">
              <Text fw={600} size="sm" style={{ overflowWrap: "anywhere" }}>{m.name}</Text>
              {m.current && <Badge variant="light">{t("switch.current")}</Badge>}
              {m.state !== "active" && <Badge variant="outline" color="yellow.9">{t(`organisations.state.${m.state}`)}</Badge>}
            </Group>
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{m.email} · {t(`admin.accountRoles.${m.role}`)}</Text>
          </Stack>
          {!m.current && (
            <Group gap="xs">
              {m.state === "active" && <Button size="xs" autoFocus={open} loading={change.isPending} aria-label={t("switch.toName", { name: m.name })} onClick={() => change.mutate({ business_id: m.business_id })}>{t("switch.to")}</Button>}
              <Button size="xs" variant="default" loading={leave.isPending} aria-label={t("switch.leaveName", { name: m.name })} onClick={() => leave.mutate(m.business_id)}>{t("switch.leave")}</Button>
            </Group>
          )}
        </Group>
        {trouble && <Trouble error={trouble} />}
        {accepted && (
          <>
            <Text size="sm">{t("switch.factor", { name: m.name })}</Text>
            <FactorInput accepted={accepted} submit={t("switch.to")} busy={change.isPending || passkey.isPending} onCode={(otp) => { passkey.reset(); change.mutate({ business_id: m.business_id, otp }); }} onPasskey={() => passkey.mutate()} onBack={() => { change.reset(); setAccepted(undefined); }} />
          </>
        )}
      </Stack>
    </Paper>
  );
}

function Add() {
  const t = useText();
  const add = useAddMembership();
  const [email, setEmail] = useState(""), [password, setPassword] = useState(""), [tried, setTried] = useState(false);
  const [accepted, setAccepted] = useState<string[]>();
  const passkey = useMutation({ mutationFn: loginPasskey, onSuccess: (answer) => add.mutate({ email, password, passkey: answer }) });
  const company = useMutation({
    mutationFn: () => beginProviderLogin(email, "/", true),
    onSuccess: (url) => { if (url) window.location.assign(url); },
  });
  const needs = asked(add.error);
  if (needs && needs !== accepted) setAccepted(needs);
  const trouble = passkey.error ?? company.error ?? (needs ? null : add.error);
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (email !== "" && password !== "") add.mutate({ email, password });
  };
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="add-membership">
      <Stack gap="sm">
        <Title order={2} size="h4" id="add-membership">{t("switch.add")}</Title>
        <Text size="sm">{t("switch.addLead")}</Text>
        {trouble && <Trouble error={trouble} />}
        {accepted ? (
          <FactorInput accepted={accepted} submit={t("login.submit")} busy={add.isPending || passkey.isPending} onCode={(otp) => { passkey.reset(); add.mutate({ email, password, otp }); }} onPasskey={() => passkey.mutate()} onBack={() => { add.reset(); setAccepted(undefined); }} />
        ) : (
          <Stack gap="sm" component="form" onSubmit={submit} {...{ noValidate: true }}>
            <TextInput label={t("login.email")} type="email" name="email" autoComplete="username" required value={email} onChange={(e) => { setEmail(e.currentTarget.value); company.reset(); }} error={tried && email === "" && t("login.needEmail")} maxLength={254} />
            <Secret label={t("login.password")} name="password" autoComplete="current-password" required value={password} onChange={(e) => setPassword(e.currentTarget.value)} error={tried && password === "" && t("login.needPassword")} />
            {company.isSuccess && company.data === null && <Text size="sm" role="status">{t("login.noCompany")}</Text>}
            <Group>
              <Button type="submit" loading={add.isPending}>{t("login.submit")}</Button>
              <Button variant="default" loading={company.isPending} onClick={() => (email ? company.mutate() : setTried(true))}>{t("login.company")}</Button>
            </Group>
          </Stack>
        )}
      </Stack>
    </Paper>
  );
}
