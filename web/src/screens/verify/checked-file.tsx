import { Button, FileButton, Group, Paper, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconCheck, IconFile, IconX } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "../../api/client";
import { verify } from "../../api/verify";
import { useLanguage, useText } from "../../text";
import { Copy } from "../../ui/copy";
import { sizeOf } from "../../ui/file-size";
import { Fold } from "../../ui/fold";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import { digestOf, readDigest } from "./digest";
import { accepted } from "./pick";
import { Verdict } from "./verdict";
import classes from "./verify.module.css";

/** CheckedFile is the chosen file: its digest, computed here, and, once the file was sent, the verdict. */
export function CheckedFile({ file, another }: { file: File; another: (file: File) => void }) {
  const t = useText();
  const language = useLanguage();
  const [password, setPassword] = useState("");
  const digest = useQuery({ queryKey: ["digest", file.name, file.size, file.lastModified], queryFn: async () => (await digestOf(file)) ?? null, gcTime: 0, retry: false });
  const validation = useMutation({ mutationFn: (secret: string) => verify(file, secret) });
  const locked = validation.error instanceof Problem && validation.error.reason === "file.password_needed";
  const compare = digest.data && <Compare digest={digest.data} />;
  return (
    <Stack gap="lg">
      <Paper withBorder p="md" component="form" onSubmit={(e) => { e.preventDefault(); validation.mutate(password); }}>
        <Stack gap="sm">
          <Group justify="space-between" gap="sm">
            <Group gap="sm" wrap="nowrap" miw={0} style={{ flex: "1 1 9rem" }}>
              <IconFile aria-hidden style={{ flex: "none" }} />
              <div style={{ minWidth: 0 }}>
                <Text fw={600} style={{ overflowWrap: "anywhere" }}>{file.name}</Text>
                <Text size="sm" c="dimmed">{sizeOf(file.size, language)}</Text>
              </div>
            </Group>
            <FileButton onChange={(f) => f && another(f)} accept={accepted}>{(props) => <Button {...props} variant="default" size="xs">{t("new.another")}</Button>}</FileButton>
          </Group>
          {digest.isPending && <Loading />}
          {digest.isError && <Text size="sm" role="alert">{t("verify.unread")}</Text>}
          {digest.data === null && <Text size="sm" c="dimmed">{t("verify.noDigest")}</Text>}
          {validation.isSuccess ? compare && <Fold title={t("verify.digest")}>{compare}</Fold> : compare}
          {locked && <PasswordInput label={t("verify.password")} value={password} onChange={(e) => setPassword(e.currentTarget.value)} error={t(validation.variables ? "verify.wrongPassword" : "verify.locked")} autoComplete="off" autoFocus />}
          {!validation.isSuccess && (
            <Group justify="space-between">
              <Text size="xs" c="dimmed" style={{ flex: "1 1 10rem" }}>{t("verify.sent")}</Text>
              <Button type="submit" loading={validation.isPending}>{t("verify.submit")}</Button>
            </Group>
          )}
        </Stack>
      </Paper>
      {validation.isError && !locked && <Trouble error={validation.error} retry={validation.error instanceof Problem && validation.error.retryable ? () => validation.mutate(password) : undefined} />}
      {validation.data && <Verdict report={validation.data} file={file} password={password} />}
    </Stack>
  );
}

/** Compare shows the digest, and compares it with one known from elsewhere; nothing is sent. */
function Compare({ digest }: { digest: string }) {
  const t = useText();
  const [pasted, setPasted] = useState("");
  const known = readDigest(pasted);
  const unreadable = pasted.trim() !== "" && !known;
  return (
    <Stack gap="xs">
      <div>
        <Text size="sm" fw={600}>SHA-256</Text>
        <Group gap={6} wrap="nowrap"><span className={classes.digest} data-digest>{digest}</span><Copy text={digest} /></Group>
      </div>
      <TextInput label={t("verify.known")} description={t("verify.knownHint")} value={pasted} onChange={(e) => setPasted(e.currentTarget.value)} spellCheck={false} autoComplete="off" error={unreadable && t("verify.badDigest")} />
      <Text size="sm" fw={600} role="status" data-same={known ? known === digest : undefined} className={classes.same} hidden={!known}>
        {known && (known === digest ? <><IconCheck size={18} aria-hidden /> {t("verify.same")}</> : <><IconX size={18} aria-hidden /> {t("verify.different")}</>)}
      </Text>
    </Stack>
  );
}
