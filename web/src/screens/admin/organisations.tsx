import { ActionIcon, Badge, Button, Group, Menu, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBuildingOff, IconBuildingPlus, IconDots, IconPencil, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import { addOrganisation, organisation, organisations, type Organisation } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { Trouble } from "../../ui/trouble";
import { Facts, Filtering, Find, Line, Lines, useWhen, type SectionProps } from "./lines";

type Action = "rename" | "suspend" | "resume" | "close";

/** Organisations is where operators create, rename, suspend and close organisations. */
export function Organisations(props: SectionProps) {
  const t = useText();
  const found = useQuery(organisations(props.selection));
  const [adding, { toggle, close }] = useDisclosure();
  const [asked, setAsked] = useState<{ of: Organisation; action: Action }>();
  const [opened, dialog] = useDisclosure();
  const [done, setDone] = useState("");
  const ask = (of: Organisation, action: Action) => {
    setDone("");
    setAsked({ of, action });
    dialog.open();
  };
  // The item of the menu that had the focus is gone when the dialog closes, so the focus returns to the button of the menu.
  const leave = () => {
    dialog.close();
    if (asked) document.querySelector<HTMLElement>(`[data-actions="${CSS.escape(asked.of.id)}"]`)?.focus();
  };
  return (
    <Stack>
      <Title order={2} size="h5">{t("admin.organisations")}</Title>
      <Filtering>
        <Find {...props} label={t("organisations.find")} />
        <Button ml="auto" leftSection={<IconBuildingPlus size={16} aria-hidden />} aria-expanded={adding} onClick={toggle}>{t("organisations.add")}</Button>
      </Filtering>
      {adding && <Add close={close} done={setDone} />}
      <Text size="sm" role="status">{done}</Text>
      <Lines {...props} of={found} items={(d) => d.organisations} empty={t("admin.nothingFound")}>{(o) => <One key={o.id} of={o} ask={ask} />}</Lines>
      {asked && <Ask key={`${asked.of.id} ${asked.action}`} {...asked} opened={opened} close={leave} done={setDone} />}
    </Stack>
  );
}

const colours = { suspended: "yellow.9", closed: "red" } as const;

function One({ of: o, ask }: { of: Organisation; ask: (of: Organisation, action: Action) => void }) {
  const t = useText();
  const when = useWhen();
  const own = useAccount()?.business_id === o.id;
  return (
    <Line title={o.name}
      badge={o.state !== "active" && <Badge size="sm" variant="outline" color={colours[o.state]}>{t(`organisations.state.${o.state}`)}</Badge>}
      end={o.state !== "closed" && (
        <Menu position="bottom-end">
          <Menu.Target><ActionIcon variant="default" size="lg" aria-label={t("admin.actions", { name: o.name })} data-actions={o.id}><IconDots size={16} aria-hidden /></ActionIcon></Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => ask(o, "rename")}>{t("organisations.rename")}</Menu.Item>
            {!own && o.state === "active" && <Menu.Item leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={() => ask(o, "suspend")}>{t("organisations.suspend")}</Menu.Item>}
            {!own && o.state === "suspended" && <Menu.Item leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => ask(o, "resume")}>{t("organisations.resume")}</Menu.Item>}
            {!own && <Menu.Item color="red" leftSection={<IconBuildingOff size={16} aria-hidden />} onClick={() => ask(o, "close")}>{t("organisations.close")}</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
      )}>
      <Facts of={[t("admin.since", { when: when(o.created_at) }), o.changed_at && t(`organisations.since.${o.state as "suspended"}`, { when: when(o.changed_at) }), o.reason]} />
    </Line>
  );
}

function Add({ close, done }: { close: () => void; done: (said: string) => void }) {
  const t = useText();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  const add = useMutation({
    mutationFn: () => addOrganisation(`${key} ${name.trim()}`.replace(/[^ -~]/g, "_").slice(0, 200), name.trim()),
    onSuccess: (o) => {
      void queries.invalidateQueries({ queryKey: ["admin"] });
      done(t("organisations.added", { name: o.name }));
      close();
    },
  });
  const problem = add.error instanceof Problem ? add.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    add.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("organisations.add")}>
      <Stack gap="sm">
        <TextInput label={t("organisations.name")} description={t("organisations.addLead")} required autoFocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={problem?.of("name")} maxLength={255} />
        {add.isError && !problem?.of("name") && <Trouble error={add.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("new.cancel")}</Button>
          <Button type="submit" loading={add.isPending}>{t("new.add")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** Ask says what follows before an organisation is changed. To close one, its name has to be typed. */
function Ask({ of: o, action, opened, close, done }: { of: Organisation; action: Action; opened: boolean; close: () => void; done: (said: string) => void }) {
  const t = useText();
  const queries = useQueryClient();
  const [name, setName] = useState(action === "rename" ? o.name : "");
  const [reason, setReason] = useState("");
  const run = useMutation({
    mutationFn: () => (action === "rename" ? organisation.rename(o.id, name.trim()) : action === "suspend" ? organisation.suspend(o.id, reason.trim()) : action === "resume" ? organisation.resume(o.id) : organisation.close(o.id, name.trim(), reason.trim())),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["admin"] });
      done(t(`organisations.${action}Done`, { name: action === "rename" ? name.trim() : o.name }));
      close();
    },
  });
  const problem = run.error instanceof Problem ? run.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    run.mutate();
  };
  return (
    <Dialog opened={opened} onClose={close} title={t(`organisations.${action}Title`, { name: o.name })}>
      <Stack component="form" onSubmit={submit} {...{ noValidate: true }}>
        <Text size="sm">{t(`organisations.${action}Lead`)}</Text>
        {(action === "rename" || action === "close") && (
          <TextInput label={action === "rename" ? t("organisations.name") : t("organisations.typeName", { name: o.name })} required data-autofocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={problem?.of("name")} maxLength={255} autoComplete="off" />
        )}
        {(action === "suspend" || action === "close") && (
          <TextInput label={t("organisations.reason")} description={t("organisations.reasonLead")} value={reason} onChange={(e) => setReason(e.currentTarget.value)} error={problem?.of("reason")} maxLength={255} />
        )}
        {run.isError && !(problem && problem.fields.length > 0) && <Trouble error={run.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("new.cancel")}</Button>
          <Button type="submit" color={action === "suspend" || action === "close" ? "red" : "seal"} loading={run.isPending} disabled={action === "close" && name.trim() !== o.name}>{t(`organisations.${action}`)}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
