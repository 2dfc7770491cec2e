import { Button, Checkbox, Group, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { Problem } from "../api/client";
import { addFolder, deleteFolder, fileDocuments, folders, labelDocuments, labels, renameFolder, type Filed, type FiledResult, type Folder } from "../api/filing";
import { useText } from "../text";
import { Dialog } from "./dialog";
import { LabelBadge } from "./label";
import { Loading } from "./loading";
import { sentenceOf } from "./sentence";
import { Trouble } from "./trouble";

interface Props {
  documents: readonly Filed[];
  /** A team of mine, whose folders are meant; missing: my own. */
  team?: string | undefined;
  /** Closes the dialog after a change. */
  close: () => void;
  /** Closes it without. */
  back: () => void;
}

/** FilingDialog sets the labels or the folder of documents. */
export function FilingDialog({ what, ...props }: Props & { what: "labels" | "folder" }) {
  const t = useText();
  return (
    <Dialog opened onClose={props.back} title={t(what === "labels" ? "filing.setLabels" : "filing.setFolder")}>
      {what === "labels" ? <SetLabels {...props} /> : <SetFolder {...props} />}
    </Dialog>
  );
}

function SetLabels({ documents, close, back }: Props) {
  const t = useText();
  const all = useQuery(labels);
  const [wanted, setWanted] = useState<ReadonlyMap<string, boolean>>(new Map());
  const file = useFiling(() => labelDocuments(documents.map((d) => d.id), [...wanted.keys()].filter((id) => wanted.get(id)), [...wanted.keys()].filter((id) => !wanted.get(id))), close);
  const having = (id: string) => documents.filter((d) => d.labels?.some((l) => l.id === id)).length;
  if (all.isPending) return <Loading />;
  if (all.isError) return <Trouble error={all.error} retry={() => void all.refetch()} />;
  return (
    <Form {...file} documents={documents} back={back} close={close} ready={wanted.size > 0}>
      <Text size="sm">{t("filing.labelsLead", { count: documents.length })}</Text>
      {all.data.length === 0 ? <Text size="sm" c="dimmed">{t("filing.noLabels")}</Text> : (
        <Stack gap="xs" role="group" aria-label={t("filing.labels")}>
          {all.data.map((l, i) => {
            const has = having(l.id), set = wanted.get(l.id);
            return <Checkbox key={l.id} label={<LabelBadge name={l.name} colour={l.colour} />} checked={set ?? has === documents.length} indeterminate={set === undefined && has > 0 && has < documents.length}
              onChange={(e) => setWanted(new Map(wanted).set(l.id, e.currentTarget.checked))} {...(i === 0 ? { "data-autofocus": true } : {})} />;
          })}
        </Stack>
      )}
    </Form>
  );
}

/** What a choice of a folder means that does not exist yet. */
const another = "new";

function SetFolder({ documents, team, close, back }: Props) {
  const t = useText();
  const all = useQuery(folders(team));
  const now = documents.every((d) => d.folder?.id === documents[0]!.folder?.id) ? documents[0]!.folder?.id ?? "" : undefined;
  const [choice, setChoice] = useState(now);
  const [name, setName] = useState("");
  const file = useFiling(async () => fileDocuments(documents.map((d) => d.id), choice === another ? (await addFolder(name, team)).id : choice!, team), close);
  const wrong = file.error instanceof Problem ? file.error.of("name") : undefined;
  if (all.isPending) return <Loading />;
  if (all.isError) return <Trouble error={all.error} retry={() => void all.refetch()} />;
  return (
    <Form {...file} error={wrong ? null : file.error} documents={documents} back={back} close={close} ready={choice !== undefined && choice !== now && (choice !== another || name.trim() !== "")}>
      <Text size="sm">{t(team ? "filing.teamFolderLead" : "filing.folderLead", { count: documents.length })}</Text>
      <Radio.Group value={choice ?? null} onChange={setChoice} aria-label={t("filing.folder")}>
        <Stack gap="xs">
          {[{ id: "", name: t("filing.noFolder") }, ...all.data, { id: another, name: t("filing.newFolder") }].map((f) => <Radio key={f.id} value={f.id} label={f.name} styles={{ label: { overflowWrap: "anywhere" } }} />)}
        </Stack>
      </Radio.Group>
      {choice === another && <TextInput label={t("filing.folderName")} autoFocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={wrong} maxLength={60} />}
    </Form>
  );
}

/** Sends a change, closes the dialog if nothing was refused, and refetches what shows where documents are. */
function useFiling(send: () => Promise<FiledResult[]>, close: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (results) => { if (results.every((r) => r.success)) close(); },
    onSettled: () => void queries.invalidateQueries(),
  });
}

interface FormProps extends Props {
  ready: boolean;
  children: React.ReactNode;
  data: FiledResult[] | undefined;
  error: Error | null;
  isPending: boolean;
  mutate: () => void;
}

function Form({ ready, children, documents, data, error, isPending, mutate, close, back }: FormProps) {
  const t = useText();
  const refused = data?.filter((r) => !r.success) ?? [];
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (ready) mutate();
  };
  if (refused.length > 0) {
    return (
      <Stack>
        <Text size="sm" fw={600} role="status">{t("filing.refused", { count: refused.length })}</Text>
        <ul style={{ margin: 0, paddingInlineStart: "1.2em", overflowWrap: "anywhere" }}>
          {refused.map((r) => <li key={r.document_id}><Text size="sm"><b>{documents.find((d) => d.id === r.document_id)?.document_title}</b>: {r.msg}</Text></li>)}
        </ul>
        <Group justify="flex-end"><Button variant="default" onClick={close} data-autofocus>{t("close")}</Button></Group>
      </Stack>
    );
  }
  return (
    <Stack component="form" onSubmit={submit} {...{ noValidate: true }}>
      {children}
      {error && <Trouble error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={back}>{t("close")}</Button>
        <Button type="submit" loading={isPending} disabled={!ready}>{t("filing.save")}</Button>
      </Group>
    </Stack>
  );
}

/** FoldersDialog renames and deletes the folders of a team, or my own. */
export function FoldersDialog({ team, close, deleted }: { team: string | undefined; close: () => void; deleted: (id: string) => void }) {
  const t = useText();
  const all = useQuery(folders(team));
  return (
    <Dialog opened onClose={close} title={t("filing.folders")}>
      <Stack>
        <Text size="sm">{t(team ? "filing.teamFoldersLead" : "filing.foldersLead")}</Text>
        {all.isPending && <Loading />}
        {all.isError && <Trouble error={all.error} retry={() => void all.refetch()} />}
        {all.data?.length === 0 && <Text size="sm" c="dimmed" role="status">{t(team ? "filing.noTeamFolders" : "filing.noFolders")}</Text>}
        <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>{all.data?.map((f) => <OneFolder key={f.id} folder={f} deleted={deleted} />)}</Stack>
        <Group justify="flex-end"><Button variant="default" onClick={close}>{t("close")}</Button></Group>
      </Stack>
    </Dialog>
  );
}

function OneFolder({ folder: f, deleted }: { folder: Folder; deleted: (id: string) => void }) {
  const t = useText();
  const queries = useQueryClient();
  const [name, setName] = useState(f.name);
  const [asking, setAsking] = useState(false);
  const settle = () => void queries.invalidateQueries();
  const rename = useMutation({ mutationFn: () => renameFolder(f.id, name), onSuccess: settle });
  const remove = useMutation({ mutationFn: () => deleteFolder(f.id), onSuccess: () => { settle(); deleted(f.id); } });
  const problem = rename.error instanceof Problem ? rename.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (name.trim() !== "" && name.trim() !== f.name) rename.mutate();
  };
  return (
    <li>
      <Group gap="xs" align="flex-end" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={f.name}>
        <TextInput style={{ flex: "1 1 12rem" }} label={t("filing.folderName")} value={name} onChange={(e) => setName(e.currentTarget.value)} error={rename.error && (problem?.of("name") ?? sentenceOf(t, rename.error))} maxLength={60} />
        <Button type="submit" variant="default" loading={rename.isPending} disabled={name.trim() === "" || name.trim() === f.name}>{t("filing.rename")}</Button>
        {asking
          ? <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()} autoFocus aria-label={t("filing.deleteSure", { name: f.name })}>{t("filing.sure")}</Button>
          : <Button variant="subtle" color="red" onClick={() => setAsking(true)} aria-label={t("filing.deleteOf", { name: f.name })}>{t("filing.delete")}</Button>}
      </Group>
      {remove.isError && <Trouble error={remove.error} />}
    </li>
  );
}
