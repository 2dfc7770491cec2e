import { Button, Code, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { account, people, roles, type AdminPerson, type Role } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Dialog } from "../../ui/dialog";
import { confirmsErasure, Erasure } from "../../ui/erasure";
import { Trouble } from "../../ui/trouble";

export type PersonAction = "rename" | "role" | "reset" | "resetFactors" | "transfer" | "disable" | "enable" | "erase";

interface Props {
  person: AdminPerson;
  action: PersonAction;
  opened: boolean;
  close: () => void;
  /** Takes the sentence that says what was done. */
  done: (said: string) => void;
}

/** PersonDialog asks before an account is changed. It says what follows, and shows a new password once. */
export function PersonDialog({ person: p, action, opened, close, done }: Props) {
  const t = useText();
  const queries = useQueryClient();
  const [name, setName] = useState(p.name);
  const [role, setRole] = useState(p.role);
  const [typed, setTyped] = useState("");
  const [successor, setSuccessor] = useState<{ id: string; name: string }>();
  const refresh = () => void queries.invalidateQueries({ queryKey: ["admin"] });
  const run = useMutation({
    mutationFn: async (): Promise<string | undefined> => {
      if (action === "reset") return (await account.resetPassword(p.id)).password;
      if (action === "transfer") {
        await account.transfer(p.id, successor!.id);
        return undefined;
      }
      await (action === "rename" ? account.rename(p.id, name.trim()) : action === "role" ? account.setRole(p.id, role) : account[action](p.id));
      // An account that is disabled makes no further documents. If this fails, the dialog stays, and its button does both again.
      if (action === "disable" && successor) await account.transfer(p.id, successor.id);
      return undefined;
    },
    onSuccess: (password) => {
      refresh();
      if (password !== undefined) return; // shown until the dialog is closed
      done(t(`admin.${action}Done` as "admin.renameDone", { name: action === "rename" ? name.trim() : p.name, to: successor?.name }));
      close();
    },
  });
  const problem = run.error instanceof Problem ? run.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    run.mutate();
  };
  const title = t(`admin.${action}Title` as "admin.renameTitle", { name: p.name });
  if (run.data) {
    return <Dialog opened={opened} onClose={close} title={title}><FirstPassword password={run.data} hint={t("admin.resetHint")} close={close} /></Dialog>;
  }
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <Stack component="form" onSubmit={submit} {...{ noValidate: true }}>
        <Text size="sm">{t(`admin.${action}Lead` as "admin.renameLead", { name: p.name, email: p.email })}</Text>
        {action === "disable" && p.open_signatures > 0 && <Text size="sm" fw={600}>{t("admin.disableWaiting", { count: p.open_signatures })}</Text>}
        {(action === "transfer" || action === "disable" && p.documents > 0) && <Successor of={p} value={successor} change={setSuccessor} required={action === "transfer"} />}
        {action === "rename" && <TextInput label={t("new.guestName")} required data-autofocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={problem?.of("name")} maxLength={255} />}
        {action === "erase" && <Erasure email={p.email} typed={typed} change={setTyped} />}
        {action === "role" && <RoleSelect value={role} change={setRole} />}
        {run.isError && !(problem && problem.fields.length > 0) && <Trouble error={run.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("new.cancel")}</Button>
          <Button type="submit" color={action === "disable" || action === "erase" || action === "reset" || action === "resetFactors" ? "red" : "seal"} disabled={action === "transfer" && !successor || action === "erase" && !confirmsErasure(typed, p.email)} loading={run.isPending}>{t(`admin.${action}` as "admin.rename")}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Successor chooses who gets the documents of a person: somebody of their organisation who may send documents. */
function Successor({ of, value, change, required }: { of: AdminPerson; value: { id: string; name: string } | undefined; change: (to: { id: string; name: string } | undefined) => void; required: boolean }) {
  const t = useText();
  const [text, setText] = useState("");
  const [find] = useDebouncedValue(text, 300);
  const first = useQuery(people({ page: 1, organisation: of.organisation.id })), found = useQuery(people({ page: 1, organisation: of.organisation.id, find }));
  const known = new Map([first, found].flatMap((q) => q.data?.people ?? []).filter((x) => x.id !== of.id && x.status !== "disabled" && x.status !== "erased" && (x.role === "sender" || x.role === "admin")).map((x) => [x.id, x]));
  return (
    <Select label={t("admin.successor", { count: of.documents })} description={t(required ? "admin.successorHint" : "admin.successorOptional")} required={required} clearable={!required} searchable searchValue={text} onSearchChange={setText}
      nothingFoundMessage={t("admin.nothingFound")} value={value?.id ?? null} onChange={(id) => change(id === null ? undefined : { id, name: known.get(id)?.name ?? "" })} clearButtonProps={{ "aria-label": t("admin.successorNone") }}
      data={[...known].map(([id, x]) => ({ value: id, label: `${x.name} <${x.email}>` }))} comboboxProps={{ withinPortal: false }} />
  );
}

/** RoleSelect chooses what a person may do in the organisation, and says what the role includes. */
export function RoleSelect({ value, change }: { value: Role; change: (role: Role) => void }) {
  const t = useText();
  return (
    <Select label={t("admin.roleLabel")} description={t(`admin.accountRoleHints.${value}`)} allowDeselect={false} value={value} onChange={(v) => v && change(v as Role)}
      data={roles.map((r) => ({ value: r, label: t(`admin.accountRoles.${r}`) }))} comboboxProps={{ withinPortal: false }} />
  );
}

/** FirstPassword shows a password once. */
export function FirstPassword({ password, hint, close }: { password: string; hint: string; close: () => void }) {
  const t = useText();
  return (
    <Stack gap="xs" align="flex-start" role="status">
      <Text size="sm">{hint}</Text>
      <Group gap="xs"><Code fz="md" data-first-password>{password}</Code><Copy text={password} /></Group>
      <Button size="xs" variant="default" onClick={close}>{t("close")}</Button>
    </Stack>
  );
}
