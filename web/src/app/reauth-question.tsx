import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { beginProviderLogin, useAccount } from "../api/account";
import { api, Problem, take } from "../api/client";
import { accepted, factors } from "../api/factors";
import { loginPasskey, type PasskeyAnswer } from "../api/passkey";
import { useText } from "../text";
import { Dialog } from "../ui/dialog";
import { FactorInput } from "../ui/factor-input";
import { Loading } from "../ui/loading";
import { Secret } from "../ui/secret";
import { Trouble } from "../ui/trouble";

/** ReauthQuestion takes the password or a second factor of the caller. It calls done with whether they proved who they are. */
export function ReauthQuestion({ done }: { done: (proved: boolean) => void }) {
  const t = useText();
  return <Dialog opened onClose={() => done(false)} title={t("reauth.title")}><Ask done={done} /></Dialog>;
}

function Ask({ done }: { done: (proved: boolean) => void }) {
  const t = useText();
  const me = useAccount();
  const mine = useQuery({ ...factors, staleTime: 0 });
  const [current, setCurrent] = useState("");
  const prove = useMutation({
    mutationFn: (body: { current?: string; otp?: string; passkey?: PasskeyAnswer }) => take(api.POST("/v1/auth/reauthenticate", { body })),
    onSuccess: () => done(true),
  });
  const passkey = useMutation({ mutationFn: async () => prove.mutateAsync({ passkey: await loginPasskey() }) });
  // The browser comes back to this screen after it; what was asked for is then done anew.
  const provider = useMutation({
    mutationFn: async () => {
      const url = await beginProviderLogin(me?.email ?? "", window.location.pathname + window.location.search);
      if (url !== null) window.location.assign(url);
    },
  });
  if (mine.isError) return <Trouble error={mine.error} retry={() => void mine.refetch()} />;
  if (!mine.data) return <Loading />;
  const can = accepted(mine.data), byProvider = mine.data.by_provider;
  const problem = prove.error instanceof Problem ? prove.error : undefined;
  const trouble = [prove.error, passkey.error, provider.error].find((e) => e !== null && !(e instanceof Problem && e.of("current") !== undefined));
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (current !== "") prove.mutate({ current });
  };
  return (
    <Stack gap="sm" data-reauth>
      <Text size="sm">{t("reauth.lead")}</Text>
      {trouble && <Trouble error={trouble} />}
      {byProvider
        ? <Button data-autofocus loading={provider.isPending} onClick={() => provider.mutate()}>{t("login.company")}</Button>
        : (
          <Stack component="form" gap="sm" onSubmit={submit} {...{ noValidate: true }}>
            <Secret label={t("password.current")} name="current" autoComplete="current-password" data-autofocus required value={current} onChange={(e) => setCurrent(e.currentTarget.value)} error={problem?.of("current")} />
            <Group justify="flex-end"><Button type="submit" disabled={current === ""} loading={prove.isPending}>{t("reauth.submit")}</Button></Group>
          </Stack>
        )}
      {can.length > 0 && (
        <>
          <Text size="sm" c="dimmed" ta="center">{t("reauth.or")}</Text>
          <FactorInput accepted={can} submit={t("reauth.submit")} busy={prove.isPending || passkey.isPending} onCode={(otp) => prove.mutate({ otp })} onPasskey={() => passkey.mutate()} onBack={() => done(false)} />
        </>
      )}
    </Stack>
  );
}
