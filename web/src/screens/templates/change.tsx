import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";

import { teams } from "../../api/account";
import { verbs } from "../../api/documents";
import { renameTemplate, type Template } from "../../api/templates";
import { useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";

interface Props {
  template: Template;
  close: () => void;
}

/** A change of a template, after which the dialog closes and the list is read again. */
function useChange(run: () => Promise<unknown>, close: () => void) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: run, onSuccess: async () => { await queries.invalidateQueries(); close(); } });
}

function Form({ change, action, red, close, children }: { change: ReturnType<typeof useChange>; action: string; red?: boolean; close: () => void; children: ReactNode }) {
  const t = useText();
  const submit = (e: FormEvent) => { e.preventDefault(); change.mutate(); };
  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        {children}
        {change.isError && <Trouble error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("close")}</Button>
          <Button type="submit" loading={change.isPending} {...(red ? { color: "red" } : {})}>{action}</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Rename changes the title of a template. */
export function Rename({ template: x, close }: Props) {
  const t = useText();
  const [title, setTitle] = useState(x.document_title);
  const change = useChange(() => renameTemplate(x, title.trim()), close);
  return (
    <Dialog opened onClose={close} title={t("template.rename")}>
      <Form change={change} action={t("template.rename")} close={close}>
        <TextInput label={t("template.title")} required value={title} onChange={(e) => setTitle(e.currentTarget.value)} maxLength={255} data-autofocus />
      </Form>
    </Dialog>
  );
}

/** Share gives a template to a team of its owner, or takes it back. */
export function Share({ template: x, close }: Props) {
  const t = useText();
  const own = useQuery(teams);
  const [team, setTeam] = useState(x.team?.id ?? "");
  const change = useChange(() => verbs.share(x.id, team), close);
  const known = own.data ?? [];
  const all = x.team && !known.some((o) => o.id === x.team?.id) ? [x.team, ...known] : known; // they may have left it
  return (
    <Dialog opened onClose={close} title={t("template.share")}>
      {own.isPending ? <Loading /> : all.length === 0 ? <Text size="sm">{t("template.noTeams")}</Text> : (
        <Form change={change} action={t("template.share")} close={close}>
          <Select label={t("template.team")} description={t("template.shareLead")} allowDeselect={false} value={team} onChange={(v) => setTeam(v ?? "")} data={[{ value: "", label: t("share.notShared") }, ...all.map((o) => ({ value: o.id, label: o.name }))]} data-autofocus />
        </Form>
      )}
    </Dialog>
  );
}

/** Remove deletes a template. */
export function Remove({ template: x, close }: Props) {
  const t = useText();
  const change = useChange(() => verbs.remove(x.id), close);
  return (
    <Dialog opened onClose={close} title={t("template.remove")}>
      <Form change={change} action={t("template.remove")} red close={close}>
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>{t("template.removeLead", { title: x.document_title })}</Text>
      </Form>
    </Dialog>
  );
}
