import { Badge, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";

import { account, useAccount } from "../api/account";
import { eraseOwnAccount, sessions, useEndSession, type Session } from "../api/sessions";
import { useLanguage, useText } from "../text";
import { Dialog } from "../ui/dialog";
import { confirmsErasure, Erasure } from "../ui/erasure";
import { Loading } from "../ui/loading";
import { keepPersonalData } from "../ui/personal-data";
import { ScreenTitle } from "../ui/screen-title";
import { Trouble } from "../ui/trouble";

/** AccountScreen shows where the caller is logged in, and lets them end these sessions. */
export function AccountScreen() {
  const t = useText();
  const me = useAccount();
  const found = useQuery({ ...sessions, staleTime: 0 });
  const end = useEndSession();
  const others = found.data?.filter((s) => !s.current) ?? [];
  return (
    <Stack maw={720} mx="auto">
      <div>
        <ScreenTitle>{t("sessions.account")}</ScreenTitle>
        {me && <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>{me.fullname} · {me.email}</Text>}
      </div>
      <Stack component="section" aria-labelledby="sessions-title" gap="sm">
        <Group justify="space-between" gap="sm">
          <div style={{ flex: "1 1 16rem" }}>
            <Title order={2} size="h4" id="sessions-title">{t("sessions.title")}</Title>
            <Text size="sm" c="dimmed">{t("sessions.lead")}</Text>
          </div>
          {others.length > 0 && <Button variant="default" color="red" loading={end.isPending && end.variables === undefined} onClick={() => end.mutate(undefined)}>{t("sessions.endOthers")}</Button>}
        </Group>
        <Text size="sm" role="status" aria-live="polite">{end.isSuccess && t(end.variables === undefined ? "sessions.othersEnded" : "sessions.ended")}</Text>
        {end.isError && <Trouble error={end.error} />}
        {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
        {found.isPending && <Loading />}
        {found.data && (
          <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>
            {found.data.map((s) => <One key={s.id} of={s} end={() => end.mutate(s.id)} ending={end.isPending && end.variables === s.id} />)}
          </Stack>
        )}
      </Stack>
      <OwnData />
      {me && <EraseAccount email={me.email} />}
    </Stack>
  );
}

/** OwnData downloads what is stored about the caller. */
function OwnData() {
  const t = useText();
  const kept = useMutation({ mutationFn: () => keepPersonalData() });
  return (
    <Stack component="section" aria-labelledby="data-title" gap="sm" align="flex-start">
      <div>
        <Title order={2} size="h4" id="data-title">{t("sessions.exportTitle")}</Title>
        <Text size="sm" c="dimmed">{t("sessions.exportLead")}</Text>
      </div>
      <Button variant="default" loading={kept.isPending} onClick={() => kept.mutate()}>{t("sessions.export")}</Button>
      <Text size="sm" role="status">{kept.isSuccess && t("sessions.exported")}</Text>
      {kept.isError && <Trouble error={kept.error} retry={() => kept.mutate()} />}
    </Stack>
  );
}

/** EraseAccount erases the account of the caller, who types their address. */
function EraseAccount({ email }: { email: string }) {
  const t = useText();
  const queries = useQueryClient();
  const go = useNavigate();
  const [opened, setOpened] = useState(false);
  const [typed, setTyped] = useState("");
  // Nothing of the person stays in this window, which asks for a login.
  const erase = useMutation({ mutationFn: () => eraseOwnAccount(typed), onSuccess: () => { queries.clear(); queries.setQueryData(account.queryKey, null); void go({ to: "/login", search: { then: undefined } }); } });
  const submit = (e: FormEvent) => {
    e.preventDefault();
    erase.mutate();
  };
  return (
    <Stack component="section" aria-labelledby="erase-title" gap="sm" align="flex-start">
      <div>
        <Title order={2} size="h4" id="erase-title">{t("erasure.ownTitle")}</Title>
        <Text size="sm" c="dimmed">{t("erasure.ownLead")}</Text>
      </div>
      <Button variant="default" c="red.6" onClick={() => setOpened(true)}>{t("erasure.own")}</Button>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={t("erasure.ownAsk")}>
        <Stack component="form" onSubmit={submit} {...{ noValidate: true }}>
          <Erasure email={email} typed={typed} change={setTyped} />
          {erase.isError && <Trouble error={erase.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpened(false)}>{t("new.cancel")}</Button>
            <Button type="submit" color="red" disabled={!confirmsErasure(typed, email)} loading={erase.isPending || erase.isSuccess}>{t("erasure.own")}</Button>
          </Group>
        </Stack>
      </Dialog>
    </Stack>
  );
}

function One({ of: s, end, ending }: { of: Session; end: () => void; ending: boolean }) {
  const t = useText();
  const language = useLanguage();
  const when = (iso: string) => new Date(iso).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  return (
    <Paper component="li" withBorder px="sm" py="xs">
      <Group justify="space-between" gap="sm">
        <Stack gap={2} style={{ flex: "1 1 14rem", minWidth: 0 }}>
          <Group gap="xs"><Text fw={600} size="sm" title={s.user_agent} style={{ overflowWrap: "anywhere" }}>{s.device}</Text>{s.current && <Badge variant="light">{t("sessions.current")}</Badge>}</Group>
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{t("sessions.from", { ip: s.ip })} · {t(`sessions.by.${s.factor as "password"}`)}</Text>
          <Text size="xs" c="dimmed">{t("sessions.times", { begun: when(s.created_at), used: when(s.last_used_at) })}</Text>
        </Stack>
        {!s.current && <Button variant="default" size="xs" loading={ending} aria-label={t("sessions.endOf", { device: s.device, ip: s.ip })} onClick={end}>{t("sessions.end")}</Button>}
      </Group>
    </Paper>
  );
}
