import { Button, Center, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";

import { account, beginProviderLogin } from "../api/account";
import { api, Problem, take, type Schemas } from "../api/client";
import { noSearch } from "../api/documents";
import { guest } from "../api/guest";
import { useAddMembership } from "../api/switch";
import { useText } from "../text";
import { ButtonLink } from "../ui/links";
import { Loading } from "../ui/loading";
import { Mark } from "../ui/mark";
import { LanguageMenu, SchemeButton } from "../ui/preferences";
import { ScreenTitle } from "../ui/screen-title";
import { Secret } from "../ui/secret";
import { useSecretLink } from "../ui/secret-link";
import { Trouble } from "../ui/trouble";

type Invited = Schemas["InvitationLinkData"];

/** InvitationScreen lets an invited person create their account, with the link that was mailed to them. */
export function InvitationScreen() {
  const t = useText();
  const link = useSecretLink();
  const invited = useQuery({ queryKey: ["invitation", link], queryFn: async () => (await take(api.POST("/v1/auth/invitation", { body: { link } }))).data, retry: false, staleTime: Infinity, gcTime: 0 });
  const i = invited.data;
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={440}>
        <Group justify="space-between">
          <Group gap="xs" wrap="nowrap"><Mark size={32} /><Text fw={700} size="xl">{t("app.name")}</Text></Group>
          <Group gap={4}><LanguageMenu /><SchemeButton /></Group>
        </Group>
        <Paper withBorder p="lg">
          <Stack>
            <ScreenTitle>{t("invitations.title")}</ScreenTitle>
            {invited.isPending && <Loading />}
            {invited.isError && <Trouble error={invited.error} />}
            {i && (
              <>
                <Text style={{ overflowWrap: "anywhere" }}>{i.inviter ? t("invitations.welcome", { inviter: i.inviter, organisation: i.organisation.name }) : t("invitations.welcomeUnnamed", { organisation: i.organisation.name })}</Text>
                <Text size="sm">{t("invitations.role", { role: t(`admin.accountRoles.${i.role}`), hint: t(`admin.accountRoleHints.${i.role}`) })}</Text>
                {i.provider ? <AtProvider of={i} /> : <Form link={link} of={i} />}
              </>
            )}
            {invited.isError && <ButtonLink to="/login" search={{ then: undefined }} variant="default">{t("invitations.toLogin")}</ButtonLink>}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}

/** Whether the browser has a session that can stay beside a new one. */
async function isUsable(queries: QueryClient): Promise<boolean> {
  const me = await queries.fetchQuery(account);
  return me !== null && !me.is_reset && !me.must_enrol;
}

function AtProvider({ of: i }: { of: Invited }) {
  const t = useText();
  const queries = useQueryClient();
  const begin = useMutation({
    mutationFn: async () => beginProviderLogin(i.email, "/", await isUsable(queries)),
    onSuccess: (url) => { if (url) window.location.assign(url); },
  });
  return (
    <>
      <Text size="sm">{t("invitations.byProvider", { organisation: i.organisation.name })}</Text>
      {begin.error && <Trouble error={begin.error} />}
      <Button loading={begin.isPending} onClick={() => begin.mutate()}>{t("invitations.provider", { organisation: i.organisation.name })}</Button>
    </>
  );
}

function Form({ link, of: i }: { link: string; of: Invited }) {
  const t = useText();
  const queries = useQueryClient();
  const go = useNavigate();
  const [name, setName] = useState(i.name ?? ""), [password, setPassword] = useState(""), [again, setAgain] = useState("");
  const [tried, setTried] = useState(false);
  const add = useAddMembership();
  const accept = useMutation({
    mutationFn: async () => {
      await take(api.POST("/v1/auth/invitation/accept", { body: { link, name, password } }));
      const login = { email: i.email, password, business_id: i.organisation.id };
      if (await isUsable(queries)) return add.mutateAsync(login);
      return take(api.POST("/v1/auth/session", { body: login }));
    },
    onSuccess: ({ data }) => {
      guest.leave();
      queries.clear();
      queries.setQueryData(account.queryKey, data.account);
      void go({ to: "/inbox", search: noSearch });
    },
  });
  const problem = accept.error instanceof Problem ? accept.error : undefined;
  const missing = (v: string) => tried && v === "" && t("password.need");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (password !== "" && again === password) accept.mutate();
  };
  return (
    <Stack component="form" onSubmit={submit} {...{ noValidate: true }}>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>{t("invitations.account", { email: i.email })}</Text>
      <input type="hidden" name="email" autoComplete="username" value={i.email} readOnly />
      <TextInput label={t("invitations.yourName")} name="name" autoComplete="name" required value={name} onChange={(e) => setName(e.currentTarget.value)} error={problem?.of("name")} maxLength={255} />
      <Secret label={t("password.next")} description={t("password.hint")} name="new" autoComplete="new-password" required value={password} onChange={(e) => setPassword(e.currentTarget.value)} error={missing(password) || problem?.of("password")} />
      <Secret label={t("password.again")} name="again" autoComplete="new-password" required value={again} onChange={(e) => setAgain(e.currentTarget.value)} error={missing(again) || (tried && again !== password && t("password.differ"))} />
      {accept.error && (problem?.fields.length ?? 0) === 0 && <Trouble error={accept.error} />}
      <Button type="submit" loading={accept.isPending}>{t("invitations.accept")}</Button>
    </Stack>
  );
}
