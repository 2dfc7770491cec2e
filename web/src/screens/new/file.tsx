import { Button, FileButton, Group, Paper, Progress, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconFile, IconUpload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { Problem } from "../../api/client";
import { hand } from "../../api/draft";
import { upload } from "../../api/upload";
import { useLanguage, useText } from "../../text";
import { sizeOf } from "../../ui/file-size";
import { Trouble } from "../../ui/trouble";
import { moment, stem } from "./format";
import classes from "./new.module.css";
import { replaceDraft } from "./replace";

export const accepted = ".pdf,.doc,.docx,application/pdf,application/msword,application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** ChooseFile takes the file, which was dropped on a list, is dropped here, or is picked. */
export function ChooseFile({ instead }: { instead: number | undefined }) {
  const t = useText();
  const [file, setFile] = useState<File | undefined>(hand.take);
  const [over, setOver] = useState(false);
  const take = (f: File | null | undefined) => f && setFile(f);
  return (
    <Stack onDragOver={(e) => { e.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
      onDrop={(e) => { e.preventDefault(); setOver(false); take(e.dataTransfer.files[0]); }}>
      {instead && <Text size="sm">{t("new.instead")}</Text>}
      {file ? <Send key={`${file.name} ${file.size} ${file.lastModified}`} file={file} another={take} instead={instead} /> : (
        <Stack className={classes.drop} data-over={over} align="center" gap="sm">
          <IconUpload size={32} aria-hidden />
          <Text fw={600}>{t("new.dropHere")}</Text>
          <Text size="sm" c="dimmed">{t("new.kinds")}</Text>
          <FileButton onChange={take} accept={accepted}>{(props) => <Button {...props} size="md">{t("new.choose")}</Button>}</FileButton>
        </Stack>
      )}
    </Stack>
  );
}

function Send({ file, another, instead }: { file: File; another: (f: File | null) => void; instead: number | undefined }) {
  const t = useText();
  const language = useLanguage();
  const go = useNavigate();
  const queries = useQueryClient();
  const [title, setTitle] = useState(stem(file.name));
  const [due, setDue] = useState("");
  const [part, setPart] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const sent = useRef<{ title: string; expires: string; key: string }>(undefined);
  const sending = useMutation({
    mutationFn: async () => {
      stop.current = new AbortController();
      setPart(0);
      const said = { title: title.trim(), expires: due ? new Date(due).toISOString() : "" };
      // A repeat keeps its name, so that an upload that arrived without its answer is found and not made twice.
      if (sent.current?.title !== said.title || sent.current.expires !== said.expires) sent.current = { ...said, key: newKey() };
      const uploaded = await upload(file, { ...sent.current, onProgress: setPart, signal: stop.current.signal });
      if (instead) await replaceDraft(queries, instead, uploaded.document).catch(() => undefined); // the new draft counts; if this fails, the former one stays in the list
      return uploaded;
    },
    onSuccess: ({ document, warnings }) => {
      void queries.invalidateQueries({ queryKey: ["documents"] });
      void go({ to: "/new", search: { document, step: warnings.length > 0 ? "file" : "people" }, replace: true });
    },
  });
  useEffect(() => () => stop.current?.abort(), []);
  const problem = sending.error instanceof Problem ? sending.error : undefined;
  const canceled = sending.error !== null && !problem;
  const beside = problem?.of("document_base64") ?? problem?.of("document") ?? (problem && !problem.retryable && problem.fields.length === 0 ? problem.message : undefined);
  const send = () => sending.mutate();
  return (
    <Paper withBorder p="md" component="form" onSubmit={(e) => { e.preventDefault(); send(); }}>
      <Stack>
        <Group justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0} style={{ flex: "1 1 14rem" }}>
            <IconFile aria-hidden style={{ flex: "none" }} />
            <div style={{ minWidth: 0 }}>
              <Text fw={600} style={{ overflowWrap: "anywhere" }}>{file.name}</Text>
              <Text size="sm" c="dimmed">{sizeOf(file.size, language)}</Text>
            </div>
          </Group>
          {!sending.isPending && <FileButton onChange={another} accept={accepted}>{(props) => <Button {...props} variant="default" size="xs">{t("new.another")}</Button>}</FileButton>}
        </Group>
        {beside && <Text role="alert" size="sm" c="var(--mantine-color-error)"><IconAlertTriangle size={14} aria-hidden /> {beside}</Text>}
        <TextInput label={t("new.name")} value={title} onChange={(e) => setTitle(e.currentTarget.value)} error={problem?.of("document_title")} disabled={sending.isPending} maxLength={255} />
        <TextInput type="datetime-local" label={t("new.due")} description={t("new.dueHint")} value={due} min={moment(new Date())} onChange={(e) => setDue(e.currentTarget.value)} error={problem?.of("expired_at")} disabled={sending.isPending} maw={320} />
        {sending.isPending && (
          <div>
            <Progress value={part * 100} striped={part === 1} animated={part === 1} aria-label={t("new.uploading")} />
            <Text size="sm" role="status">{part < 1 ? t("new.uploading") : t("new.checking")} {part < 1 && `${Math.floor(part * 100)}%`}</Text>
          </div>
        )}
        {problem && (problem.retryable || (problem.fields.length > 0 && !beside && !problem.of("document_title") && !problem.of("expired_at"))) && <Trouble error={problem} retry={problem.retryable ? send : undefined} />}
        {canceled && <Text size="sm" role="status">{t("new.canceled")}</Text>}
        <Group justify="flex-end">
          {sending.isPending && <Button variant="default" onClick={() => stop.current?.abort()}>{t("new.cancel")}</Button>}
          <Button type="submit" loading={sending.isPending}>{t("new.upload")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** Browsers have no randomUUID on unencrypted connections. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
