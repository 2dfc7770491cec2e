import { Button, FileButton, Group, Paper, Progress as Bar, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconFile, IconUpload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { teams } from "../../api/account";
import { Problem } from "../../api/client";
import { detail } from "../../api/documents";
import { hand } from "../../api/draft";
import { endUpload, type Progress } from "../../api/resumable";
import { newKey } from "../../api/steady";
import { upload } from "../../api/upload";
import { useLanguage, useText } from "../../text";
import { sizeOf } from "../../ui/file-size";
import { Limits, TooLarge, useTooLarge } from "../../ui/limits";
import { AnchorLink } from "../../ui/links";
import { moment } from "../../ui/moment";
import { sentenceOf } from "../../ui/sentence";
import { Trouble } from "../../ui/trouble";
import { stem } from "./format";
import classes from "./new.module.css";
import { replaceDraft } from "./replace";

export const accepted = ".pdf,.doc,.docx,application/pdf,application/msword,application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** ChooseFile takes the file, which was dropped on a list, is dropped here, or is picked. */
export function ChooseFile({ instead }: { instead: number | undefined }) {
  const t = useText();
  const [chosen, setChosen] = useState<File | undefined>(hand.take);
  const [over, setOver] = useState(false);
  const take = (f: File | null | undefined) => f && setChosen(f);
  const tooLarge = useTooLarge();
  const refused = chosen && tooLarge(chosen) ? chosen : undefined;
  const file = refused ? undefined : chosen;
  return (
    <Stack onDragOver={(e) => { e.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
      onDrop={(e) => { e.preventDefault(); setOver(false); take(e.dataTransfer.files[0]); }}>
      {instead && <Text size="sm">{t("new.instead")}</Text>}
      {file ? <Send key={`${file.name} ${file.size} ${file.lastModified}`} file={file} another={take} instead={instead} /> : (
        <Stack className={classes.drop} data-over={over} align="center" gap="sm">
          <IconUpload size={32} aria-hidden />
          <Text fw={600}>{t("new.dropHere")}</Text>
          <div>
            <Text size="sm" c="dimmed" ta="center">{t("new.kinds")}</Text>
            <Limits pages />
          </div>
          {refused && <TooLarge file={refused} />}
          <FileButton onChange={take} accept={accepted}>{(props) => <Button {...props} size="md">{t("new.choose")}</Button>}</FileButton>
          {!instead && <AnchorLink size="sm" to="/templates" search={{ page: 1, search: "" }}>{t("template.start")}</AnchorLink>}
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
  const own = useQuery(teams).data ?? [];
  // The draft that is replaced may be shared already; then the new one is with the same team, unless another is chosen.
  const former = useQuery({ ...detail(instead ?? 0), enabled: instead !== undefined }).data?.team?.id;
  const [chosen, setTeam] = useState<string>();
  const team = chosen ?? (own.some((x) => x.id === former) ? former! : "");
  const [progress, setProgress] = useState<Progress>();
  const stop = useRef<AbortController>(undefined);
  const sent = useRef<{ title: string; expires: string; team: string; key: string }>(undefined);
  const sending = useMutation({
    mutationFn: async () => {
      stop.current = new AbortController();
      setProgress(undefined);
      const said = { title: title.trim(), expires: due ? new Date(due).toISOString() : "", team };
      // A repeat keeps its name, so that an upload that arrived without its answer is found and not made twice.
      if (sent.current?.title !== said.title || sent.current.expires !== said.expires || sent.current.team !== said.team) sent.current = { ...said, key: newKey() };
      const uploaded = await upload(file, { ...sent.current, onProgress: setProgress, signal: stop.current.signal });
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
  const beside = problem?.of("document_base64") ?? problem?.of("document") ?? (problem && !problem.retryable && problem.fields.length === 0 ? sentenceOf(t, problem) : undefined);
  const send = () => sending.mutate();
  const cancel = () => {
    stop.current?.abort();
    endUpload(file);
  };
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
        {own.length > 0 && <Select label={t("share.ofDocument")} description={t("share.hint")} allowDeselect={false} value={team} onChange={(v) => setTeam(v ?? "")} disabled={sending.isPending} maw={320} data={[{ value: "", label: t("share.notShared") }, ...own.map((x) => ({ value: x.id, label: x.name }))]} />}
        {sending.isPending && <Sending progress={progress} />}
        {problem && (problem.retryable || (problem.fields.length > 0 && !beside && !problem.of("document_title") && !problem.of("expired_at"))) && <Trouble error={problem} retry={problem.retryable ? send : undefined} />}
        {canceled && <Text size="sm" role="status">{t("new.canceled")}</Text>}
        <Group justify="flex-end">
          {sending.isPending && <Button variant="default" onClick={cancel}>{t("new.cancel")}</Button>}
          <Button type="submit" loading={sending.isPending}>{t("new.upload")}</Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** Sending shows how much of a file has arrived and how long the rest will take, or that the line was cut. */
function Sending({ progress }: { progress: Progress | undefined }) {
  const t = useText();
  const language = useLanguage();
  const { phase, sent, total, seconds, why, from } = progress ?? { phase: "sending", sent: 0, total: 0, seconds: undefined, why: undefined, from: 0 };
  const size = (n: number) => sizeOf(n, language);
  const said = why ?? t(phase === "checking" ? "new.checking" : phase === "waiting" ? "new.uploadCut" : from > 0 ? "new.uploadContinued" : "new.uploading", { sent: size(phase === "waiting" ? sent : from) });
  return (
    <div>
      <Bar value={total > 0 ? (sent / total) * 100 : 0} color={phase === "waiting" ? "yellow" : undefined} striped={phase === "checking"} animated={phase === "checking"} aria-label={t("new.uploading")} />
      {/* The state is announced when it changes; the figures beside it change all the time. */}
      <Text size="sm" role="status">{said}</Text>
      {phase !== "checking" && total > 0 && <Text size="sm" c="dimmed" data-sent={sent}>{t("new.sentOf", { sent: size(sent), total: size(total) })}{seconds !== undefined && ` · ${t("new.remaining", { time: duration(seconds, language) })}`}</Text>}
    </div>
  );
}

/** A duration for people: seconds up to a minute and a half, then minutes. */
function duration(seconds: number, language: string): string {
  const [value, unit] = seconds < 90 ? [Math.max(1, Math.round(seconds)), "second"] : [Math.round(seconds / 60), "minute"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
}
