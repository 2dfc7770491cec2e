import { Alert, Anchor, Button, Center, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";

import { beginProviderLogin, useLogin, type Login as Credentials } from "../api/account";
import { api, Problem, take } from "../api/client";
import { loginPasskey, passkeysOffered } from "../api/passkey";
import { useText } from "../text";
import { FactorInput } from "../ui/factor-input";
import { AnchorLink } from "../ui/links";
import { Mark } from "../ui/mark";
import { LanguageMenu, SchemeButton } from "../ui/preferences";
import { ScreenTitle } from "../ui/screen-title";
import { Secret } from "../ui/secret";
import { Trouble } from "../ui/trouble";
import { within } from "../ui/within";

export function Login() {
  const t = useText();
  const { then, sso: refused, factors } = useSearch({ from: "/login" });
  const go = useNavigate();
  const login = useLogin();
  const forgot = useMutation({ mutationFn: (email: string) => take(api.POST("/v1/auth/forgot-password", { body: { email } })) });
  // A domain decides whether its people log in with a password or with their company; the browser leaves this page for the latter.
  const company = useMutation({
    mutationFn: () => beginProviderLogin(email, within(then)),
    onSuccess: (url) => { if (url) window.location.assign(url); },
  });
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  // What the service accepts as a second factor, once it has asked for one.
  const [accepted, setAccepted] = useState(factors?.split(","));

  const enter = (more: Pick<Credentials, "otp" | "passkey"> = {}) => login.mutate(factors ? { company: true, ...more } : { email, password, ...more }, { onSuccess: () => void go({ href: within(then), replace: true }) });
  // A passkey alone, or as the second factor: then the password goes with it.
  const passkey = useMutation({
    mutationFn: loginPasskey,
    onSuccess: (answer) => (accepted ? enter({ passkey: answer }) : login.mutate({ passkey: answer }, { onSuccess: () => void go({ href: within(then), replace: true }) })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (email !== "" && password === "") company.mutate();
    if (email === "" || password === "") return;
    passkey.reset();
    enter();
  };
  const needs = login.error instanceof Problem && login.error.reason === "auth.factor_required" ? login.error.factors : undefined;
  if (needs && needs !== accepted) setAccepted(needs);
  const trouble = passkey.error ?? (needs ? null : login.error);
  const busy = login.isPending || passkey.isPending;

  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={400}>
        <Group justify="space-between">
          <Group gap="xs" wrap="nowrap"><Mark size={32} /><Text fw={700} size="xl">{t("app.name")}</Text></Group>
          <Group gap={4}><LanguageMenu /><SchemeButton /></Group>
        </Group>
        <Text size="sm">{t("login.about")}</Text>
        {accepted ? (
          <Paper withBorder p="lg">
            <Stack>
              <div>
                <ScreenTitle>{t("factor.loginTitle")}</ScreenTitle>
                <Text size="sm" c="dimmed">{factors ? t("factor.companyLead") : t("factor.loginLead", { email })}</Text>
              </div>
              {trouble && <Trouble error={trouble} />}
              <FactorInput accepted={accepted} submit={t("login.submit")} busy={busy} onCode={(otp) => { passkey.reset(); enter({ otp }); }} onPasskey={() => passkey.mutate()} onBack={() => { login.reset(); passkey.reset(); setAccepted(undefined); void go({ to: "/login", search: { then } }); }} />
            </Stack>
          </Paper>
        ) : <Paper withBorder p="lg" component="form" onSubmit={submit} noValidate>
          <Stack>
            <div>
              <ScreenTitle>{t("login.title")}</ScreenTitle>
              <Text size="sm" c="dimmed">{t("login.lead")}</Text>
            </div>
            <TextInput label={t("login.email")} type="email" name="email" autoComplete="username" value={email} onChange={(e) => { setEmail(e.currentTarget.value); company.reset(); forgot.reset(); }} required error={tried && email === "" && t("login.needEmail")} />
            <Secret label={t("login.password")} name="password" autoComplete="current-password" value={password} onChange={(e) => setPassword(e.currentTarget.value)} required error={tried && password === "" && t("login.needPassword")} />
            {refused && !trouble && !company.isError && <Alert color="red" variant="light" role="alert">{t(`login.${refused}`)}</Alert>}
            {trouble && <Trouble error={trouble} />}
            {company.isError && <Trouble error={company.error} />}
            {company.isSuccess && company.data === null && <Text size="sm" role="status">{t("login.noCompany")}</Text>}
            <Button type="submit" loading={login.isPending}>{t("login.submit")}</Button>
            {passkeysOffered() && <Button type="button" variant="default" leftSection={<IconFingerprint size={18} aria-hidden />} disabled={busy} onClick={() => { login.reset(); passkey.mutate(); }}>{t("factor.loginPasskey")}</Button>}
            <Button variant="default" loading={company.isPending} onClick={() => (email ? company.mutate() : setTried(true))}>{t("login.company")}</Button>
            <Anchor component="button" type="button" size="sm" onClick={() => (email ? forgot.mutate(email) : setTried(true))}>{t("login.forgot")}</Anchor>
            <Text size="sm" role="status">{forgot.isSuccess && t("login.forgotDone")}</Text>
            {forgot.isError && <Trouble error={forgot.error} />}
          </Stack>
        </Paper>}
        <AnchorLink to="/verify" search={{ serial: undefined }} size="sm">{t("login.verify")}</AnchorLink>
        <Text size="xs" c="dimmed">{t("login.first")}</Text>
      </Stack>
    </Center>
  );
}
