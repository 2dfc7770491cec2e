import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";

import { account, type Account, type Login } from "../api/account";
import { api, Problem, take } from "../api/client";
import { loginPasskey } from "../api/passkey";
import { useText } from "../text";
import { FactorInput } from "../ui/factor-input";
import { useFocusReturn } from "../ui/focus-return";
import { Secret } from "../ui/secret";
import { Trouble } from "../ui/trouble";

/** Whom the dialog asks to log in again. */
export interface Ended {
  who: Account;
  done: (again: boolean) => void;
}

/** LoginAgain asks the member for their password, over the screen on which they work. */
export function LoginAgain({ ended: { who, done } }: { ended: Ended }) {
  const t = useText();
  const queries = useQueryClient();
  const go = useNavigate();
  const then = useLocation({ select: (l) => l.href });
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const [other, setOther] = useState(false);
  const [accepted, setAccepted] = useState<string[]>();
  useFocusReturn();
  const login = useMutation({
    mutationFn: async (more: Omit<Login, "email" | "password">) => {
      const { data } = await take(api.POST("/v1/auth/session", { body: { email: who.email, password, ...more } }));
      if (data.account.id === who.id) return data.account;
      await take(api.POST("/v1/auth/logout", { body: {} })); // an account of another organisation with the same address
      return undefined;
    },
    onSuccess: (me) => {
      setOther(!me);
      if (!me) return;
      queries.setQueryData(account.queryKey, me);
      done(true);
    },
  });
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (password !== "") login.mutate({});
  };
  const passkey = useMutation({ mutationFn: loginPasskey, onSuccess: (answer) => login.mutate({ passkey: answer }) });
  const needs = login.error instanceof Problem && login.error.reason === "auth.factor_required" ? login.error.factors : undefined;
  if (needs && needs !== accepted) setAccepted(needs);
  const trouble = passkey.error ?? (needs ? null : login.error);
  const leave = () => {
    done(false);
    queries.clear();
    queries.setQueryData(account.queryKey, null);
    void go({ to: "/login", search: { then } });
  };
  return (
    <Modal.Root opened onClose={() => undefined} closeOnEscape={false} closeOnClickOutside={false} zIndex={1000}>
      <Modal.Overlay />
      <Modal.Content data-session-ended>
        <Modal.Body p="md">
          <Modal.Title fw={600} lh={1.3} mb="sm">{t("login.ended")}</Modal.Title>
          {accepted ? (
            <Stack gap="sm">
              <Text size="sm">{t("factor.loginLead", { email: who.email })}</Text>
              {trouble && <Trouble error={trouble} />}
              <FactorInput accepted={accepted} submit={t("login.submit")} busy={login.isPending || passkey.isPending} onCode={(otp) => { passkey.reset(); login.mutate({ otp }); }} onPasskey={() => passkey.mutate()} onBack={() => { login.reset(); passkey.reset(); setAccepted(undefined); }} />
            </Stack>
          ) : <Stack component="form" gap="sm" onSubmit={submit} {...{ noValidate: true }}>
      <Text size="sm">{t("login.endedLead")}</Text>
      <TextInput label={t("login.email")} type="email" name="email" autoComplete="username" value={who.email} readOnly />
      <Secret label={t("login.password")} name="password" autoComplete="current-password" data-autofocus value={password} onChange={(e) => setPassword(e.currentTarget.value)} required error={tried && password === "" && t("login.needPassword")} />
      {other && <Text size="sm" c="var(--mantine-color-error)" role="alert">{t("login.otherAccount")}</Text>}
      {trouble && <Trouble error={trouble} />}
      <Group justify="space-between">
        <Button variant="subtle" color="gray" onClick={leave}>{t("login.asOther")}</Button>
        <Button type="submit" loading={login.isPending}>{t("login.submit")}</Button>
      </Group>
          </Stack>}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
