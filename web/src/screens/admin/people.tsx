import { Alert, Avatar, Badge, Button, Checkbox, Code, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconKey, IconSearch, IconUserPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import { addPerson, people } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Trouble } from "../../ui/trouble";
import { Facts, Line, Lines, useWhen, type SectionProps } from "./lines";

/** People lists the accounts, and adds new ones. */
export function People(props: SectionProps) {
  const t = useText();
  const when = useWhen();
  const operator = useAccount()?.role === "operator";
  const found = useQuery(people(props.selection));
  const [text, setText] = useState(props.selection.only ?? "");
  const settle = useDebouncedCallback((s: string) => props.change({ only: s.trim() || undefined }), 300);
  const [adding, { toggle, close }] = useDisclosure();
  return (
    <Stack>
      <Group gap="sm">
        <TextInput style={{ flex: "1 1 14rem" }} type="search" aria-label={t("admin.findPerson")} placeholder={t("admin.findPerson")} leftSection={<IconSearch size={16} aria-hidden />} value={text}
          onChange={(e) => { setText(e.currentTarget.value); settle(e.currentTarget.value); }} />
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} aria-expanded={adding} onClick={toggle}>{t("admin.addPerson")}</Button>
      </Group>
      {adding && <Add close={close} />}
      <Lines {...props} of={found} items={(d) => d.people} empty={t("list.nothing")}>
        {(p) => (
          <Line key={p.id} title={p.name} end={<Avatar src={p.avatar} alt="" size="sm" visibleFrom="sm" />}
            badge={<>{p.admin && <Badge size="sm" variant="outline" color="seal">{t("admin.isAdmin")}</Badge>}{p.must_reset && <Badge size="sm" variant="outline" color="yellow.9">{t("admin.firstPassword")}</Badge>}</>}>
            <Facts of={[p.email, operator && p.organisation.name, t("admin.since", { when: when(p.created_at) })]} />
          </Line>
        )}
      </Lines>
    </Stack>
  );
}

function Add({ close }: { close: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [admin, setAdmin] = useState(false);
  const add = useMutation({ mutationFn: () => addPerson(name.trim(), email.trim(), admin), onSuccess: () => void queries.invalidateQueries({ queryKey: ["admin", "people"] }) });
  const problem = add.error instanceof Problem ? add.error : undefined;
  if (add.data) {
    return (
      <Alert color="seal" variant="light" icon={<IconKey aria-hidden />} title={t("admin.added", { name: add.data.person.name })} role="status">
        <Stack gap="xs" align="flex-start">
          <Text size="sm">{t("admin.addedHint")}</Text>
          <Group gap="xs"><Code fz="md" data-first-password>{add.data.password}</Code><Copy text={add.data.password} /></Group>
          <Button size="xs" variant="default" onClick={close}>{t("close")}</Button>
        </Stack>
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
        </Group>
        <Checkbox label={t("admin.asAdmin")} checked={admin} onChange={(e) => setAdmin(e.currentTarget.checked)} />
        {problem && problem.fields.length === 0 && <Trouble error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("new.cancel")}</Button>
          <Button type="submit" loading={add.isPending}>{t("new.add")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
