import { Badge, Button, Group, Paper, Select, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import { invitation, invitations, type Invitation, type Role } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Paging } from "../../ui/paging";
import { Trouble } from "../../ui/trouble";
import { useChange } from "./change";
import { Facts, Line, useWhen } from "./lines";
import { OrganisationSelect } from "./organisation";
import { RoleSelect } from "./person-dialog";

/** Invite asks a person by mail to become a member. */
export function Invite({ close, done, first }: { close: () => void; done: (said: string) => void; first: string | undefined }) {
  const t = useText();
  const me = useAccount();
  const queries = useQueryClient();
  const [email, setEmail] = useState(""), [name, setName] = useState(""), [role, setRole] = useState<Role>("sender"), [language, setLanguage] = useState<"" | "id" | "en">("");
  const [organisation, setOrganisation] = useState(first ?? me?.business_id);
  const send = useMutation({
    mutationFn: () => invitation.send({ email, name, role, ...(language !== "" && { language }), ...(organisation !== undefined && { organisation }) }),
    onSuccess: (sent) => {
      done(t("invitations.sent", { email: sent.email }));
      close();
      return queries.invalidateQueries({ queryKey: ["admin"] });
    },
  });
  const problem = send.error instanceof Problem ? send.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    send.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("invitations.invite")}>
      <Stack gap="sm">
        <Text size="sm">{t("invitations.lead")}</Text>
        <Group align="flex-start" gap="sm">
          <TextInput style={{ flex: "1 1 14rem" }} label={t("login.email")} type="email" required autoFocus value={email} onChange={(e) => setEmail(e.currentTarget.value)} error={problem?.of("email")} maxLength={254} />
          <TextInput style={{ flex: "1 1 12rem" }} label={t("invitations.name")} value={name} onChange={(e) => setName(e.currentTarget.value)} error={problem?.of("name")} maxLength={255} />
          {me?.role === "operator" && <OrganisationSelect value={organisation} change={(id) => id && setOrganisation(id)} />}
        </Group>
        <Group align="flex-start" gap="sm">
          <div style={{ flex: "1 1 14rem" }}><RoleSelect value={role} change={setRole} /></div>
          <Select style={{ flex: "1 1 12rem" }} label={t("invitations.language")} allowDeselect={false} value={language} onChange={(v) => setLanguage((v ?? "") as typeof language)}
            data={(["", "id", "en"] as const).map((l) => ({ value: l, label: t(`invitations.languages.${l}`) }))} comboboxProps={{ withinPortal: false }} />
        </Group>
        {send.error && (problem?.fields.length ?? 0) === 0 && <Trouble error={send.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("new.cancel")}</Button>
          <Button type="submit" loading={send.isPending}>{t("invitations.submit")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** Invitations lists those that are open. */
export function Invitations({ organisation, auditor, done }: { organisation: string | undefined; auditor: boolean; done: (said: string) => void }) {
  const t = useText();
  const [page, setPage] = useState(1);
  const found = useQuery(invitations(organisation, page));
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data || found.data.pagination.total_data === 0) return null;
  const pages = found.data.pagination.total_page;
  return (
    <Stack gap={6} component="section" aria-label={t("invitations.open")}>
      <Title order={2} size="h6">{t("invitations.open")}</Title>
      <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>{found.data.invitations.map((i) => <One key={i.id} of={i} auditor={auditor} done={done} />)}</Stack>
      {pages > 1 && <Paging page={page} total={pages} change={setPage} />}
    </Stack>
  );
}

function One({ of: i, auditor, done }: { of: Invitation; auditor: boolean; done: (said: string) => void }) {
  const t = useText();
  const when = useWhen();
  const resend = useChange(() => invitation.resend(i.id), () => done(t("invitations.sent", { email: i.email })));
  const revoke = useChange(() => invitation.revoke(i.id), () => done(t("invitations.revoked", { email: i.email })));
  const failed = resend.error ?? revoke.error;
  return (
    <Line title={i.name ?? i.email}
      badge={<>
        <Badge size="sm" variant="default">{t(`admin.accountRoles.${i.role}`)}</Badge>
        {i.expired && <Badge size="sm" variant="outline" color="yellow.9">{t("invitations.expired")}</Badge>}
      </>}
      end={!auditor && (
        <Group gap="xs">
          <Button size="xs" variant="default" aria-label={t("invitations.resend", { email: i.email })} loading={resend.isPending} onClick={() => resend.mutate()}>{t("invitations.resendShort")}</Button>
          <Button size="xs" variant="default" aria-label={t("invitations.revoke", { email: i.email })} loading={revoke.isPending} onClick={() => revoke.mutate()}>{t("invitations.revokeShort")}</Button>
        </Group>
      )}>
      <Facts of={[i.name && i.email, i.inviter ? t("invitations.facts", { inviter: i.inviter, when: when(i.created_at) }) : when(i.created_at), !i.expired && t("invitations.until", { when: when(i.expires_at) })]} />
      {failed && <Trouble error={failed} />}
    </Line>
  );
}
