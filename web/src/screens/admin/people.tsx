import { ActionIcon, Alert, Avatar, Badge, Button, Group, Menu, Paper, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDatabaseExport, IconDots, IconEraser, IconFileExport, IconKey, IconPencil, IconListSearch, IconMailPlus, IconShieldOff, IconUserCog, IconUserCheck, IconUserOff, IconUserPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import { accountStatuses, addPerson, people, type AdminPerson, type Role } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { keepPersonalData } from "../../ui/personal-data";
import { Trouble } from "../../ui/trouble";
import { EraseGuest } from "./erase-guest";
import { Invitations, Invite } from "./invitations";
import { Facts, Filtering, Find, Line, Lines, Only, useWhen, type SectionProps } from "./lines";
import { OrganisationSelect } from "./organisation";
import { FirstPassword, PersonDialog, RoleSelect, type PersonAction } from "./person-dialog";

/** People lists the accounts, adds new ones, and changes them. */
export function People(props: SectionProps) {
  const t = useText();
  const found = useQuery(people(props.selection));
  const auditor = useAccount()?.role === "auditor";
  const [adding, setAdding] = useState<"password" | "mail">();
  const close = () => setAdding(undefined), toggle = (by: "password" | "mail") => setAdding((now) => (now === by ? undefined : by));
  const [asked, setAsked] = useState<{ person: AdminPerson; action: PersonAction }>();
  const [opened, dialog] = useDisclosure();
  const [erasesGuest, guest] = useDisclosure();
  const [done, setDone] = useState("");
  const ask = (person: AdminPerson, action: PersonAction) => {
    setDone("");
    setAsked({ person, action });
    dialog.open();
  };
  const keep = useMutation({ mutationFn: (p: AdminPerson) => keepPersonalData(p.id), onSuccess: (_, p) => setDone(t("admin.exportedPerson", { name: p.name })) });
  // The item of the menu that had the focus is gone when the dialog closes, so the focus returns to the button of the menu.
  const leave = () => {
    dialog.close();
    if (asked) document.querySelector<HTMLElement>(`[data-actions="${CSS.escape(asked.person.email)}"]`)?.focus();
  };
  return (
    <Stack>
      <Filtering>
        <Find {...props} label={t("admin.findPerson")} />
        <Only {...props} label={t("list.status")} words={accountStatuses.map((s) => ({ value: s, label: t(`admin.accountStatuses.${s}`) }))} />
        {!auditor && (
          <Group ml="auto" gap="xs">
            <Button leftSection={<IconMailPlus size={16} aria-hidden />} aria-expanded={adding === "mail"} onClick={() => toggle("mail")}>{t("invitations.invite")}</Button>
            <Button variant="default" leftSection={<IconUserPlus size={16} aria-hidden />} aria-expanded={adding === "password"} onClick={() => toggle("password")}>{t("admin.addPerson")}</Button>
            <Button variant="default" leftSection={<IconEraser size={16} aria-hidden />} onClick={() => { setDone(""); guest.open(); }}>{t("admin.eraseGuest")}</Button>
          </Group>
        )}
      </Filtering>
      {adding === "password" && <Add close={close} first={props.search.organisation} />}
      {adding === "mail" && <Invite close={close} done={setDone} first={props.search.organisation} />}
      <Text size="sm" role="status">{done}</Text>
      {keep.isError && <Trouble error={keep.error} />}
      <Invitations organisation={props.search.organisation} auditor={auditor} done={setDone} />
      <Lines {...props} of={found} items={(d) => d.people} empty={t("admin.nothingFound")}>{(p) => <One key={p.id} person={p} ask={ask} keep={() => keep.mutate(p)} showLog={() => props.change({ tab: "log", find: undefined, only: undefined, person: p.email })} />}</Lines>
      {asked && <PersonDialog key={`${asked.person.id} ${asked.action}`} {...asked} opened={opened} close={leave} done={setDone} />}
      <EraseGuest opened={erasesGuest} close={guest.close} done={setDone} first={props.search.organisation} />
    </Stack>
  );
}

function One({ person: p, ask, keep, showLog }: { person: AdminPerson; ask: (person: AdminPerson, action: PersonAction) => void; keep: () => void; showLog: () => void }) {
  const t = useText();
  const when = useWhen();
  const me = useAccount();
  const disabled = p.status === "disabled", erased = p.status === "erased", other = me?.id !== p.id, administers = me?.role !== "auditor", changes = administers && !erased;
  return (
    <Line title={p.name} end={
      <Group gap="xs" wrap="nowrap">
        <Avatar src={p.avatar} alt="" size="sm" visibleFrom="sm" />
        <Menu position="bottom-end">
          <Menu.Target><ActionIcon variant="default" size="lg" aria-label={t("admin.actions", { name: p.name })} data-actions={p.email}><IconDots size={16} aria-hidden /></ActionIcon></Menu.Target>
          <Menu.Dropdown>
            {changes && <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => ask(p, "rename")}>{t("admin.rename")}</Menu.Item>}
            {changes && other && <Menu.Item leftSection={<IconUserCog size={16} aria-hidden />} onClick={() => ask(p, "role")}>{t("admin.role")}</Menu.Item>}
            {changes && other && <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => ask(p, "reset")}>{t("admin.reset")}</Menu.Item>}
            {changes && other && p.factors.length > 0 && <Menu.Item leftSection={<IconShieldOff size={16} aria-hidden />} onClick={() => ask(p, "resetFactors")}>{t("admin.resetFactors")}</Menu.Item>}
            {administers && p.documents > 0 && <Menu.Item leftSection={<IconFileExport size={16} aria-hidden />} onClick={() => ask(p, "transfer")}>{t("admin.transfer")}</Menu.Item>}
            {administers && <Menu.Item leftSection={<IconDatabaseExport size={16} aria-hidden />} onClick={keep}>{t("admin.exportPerson")}</Menu.Item>}
            {changes && disabled && <Menu.Item leftSection={<IconUserCheck size={16} aria-hidden />} onClick={() => ask(p, "enable")}>{t("admin.enable")}</Menu.Item>}
            {changes && !disabled && other && <Menu.Item color="red" leftSection={<IconUserOff size={16} aria-hidden />} onClick={() => ask(p, "disable")}>{t("admin.disable")}</Menu.Item>}
            {changes && disabled && <Menu.Item color="red" leftSection={<IconEraser size={16} aria-hidden />} onClick={() => ask(p, "erase")}>{t("admin.erase")}</Menu.Item>}
            <Menu.Item leftSection={<IconListSearch size={16} aria-hidden />} onClick={showLog}>{t("admin.inLog")}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>}
      badge={<>
        <Badge size="sm" variant={p.admin ? "outline" : "default"} {...(p.admin ? { color: "seal" } : {})}>{t(`admin.accountRoles.${p.role}`)}</Badge>
        {disabled && <Badge size="sm" variant="outline" color="red">{t("admin.accountStatuses.disabled")}</Badge>}
        {erased && <Badge size="sm" variant="outline" color="red">{t("admin.accountStatuses.erased")}</Badge>}
        {p.must_reset && !disabled && <Badge size="sm" variant="outline" color="yellow.9">{t("admin.firstPassword")}</Badge>}
      </>}>
      <Facts of={[p.email, me?.role === "operator" && p.organisation.name, p.disabled_at ? t("admin.disabledSince", { when: when(p.disabled_at) }) : t("admin.since", { when: when(p.created_at) }),
        p.factors.length > 0 && t("admin.factorsOf", { factors: p.factors.map((f) => t(`factors.${f === "totp" ? "app" : "passkeys"}`)).join(", ") }),
        p.documents > 0 && t("admin.ownedDocuments", { count: p.documents }),
        p.open_signatures > 0 && t("admin.openSignatures", { count: p.open_signatures })]} />
    </Line>
  );
}

function Add({ close, first }: { close: () => void; first: string | undefined }) {
  const t = useText();
  const queries = useQueryClient();
  const me = useAccount();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("sender");
  const [organisation, setOrganisation] = useState(first ?? me?.business_id);
  const add = useMutation({
    mutationFn: () => addPerson({ name: name.trim(), email: email.trim(), role, ...(organisation ? { organisation } : {}) }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["admin", "people"] }),
  });
  const problem = add.error instanceof Problem ? add.error : undefined;
  if (add.data) {
    return (
      <Alert color="seal" variant="light" icon={<IconKey aria-hidden />} title={t("admin.added", { name: add.data.person.name })} role="status">
        <FirstPassword password={add.data.password} hint={t("admin.addedHint")} close={close} />
      </Alert>
    );
  }
  const submit = (e: FormEvent) => {
    e.preventDefault();
    add.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("admin.addPerson")}>
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          <TextInput style={{ flex: "1 1 12rem" }} label={t("new.guestName")} required autoFocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={problem?.of("name")} maxLength={255} />
          <TextInput style={{ flex: "1 1 14rem" }} label={t("login.email")} type="email" required value={email} onChange={(e) => setEmail(e.currentTarget.value)} error={problem?.of("email")} maxLength={254} />
          {me?.role === "operator" && <OrganisationSelect value={organisation} change={(id) => id && setOrganisation(id)} />}
        </Group>
        <RoleSelect value={role} change={setRole} />
        {problem && problem.fields.length === 0 && <Trouble error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("new.cancel")}</Button>
          <Button type="submit" loading={add.isPending}>{t("new.add")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
