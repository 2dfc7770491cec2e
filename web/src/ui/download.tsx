import { Button, Stack } from "@mantine/core";
import { IconCertificate, IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";

import { headers, Problem, refusalOf } from "../api/client";
import { credentials } from "../api/embed";
import { address } from "../api/files";
import { guest } from "../api/guest";
import { useText } from "../text";
import { fileName, keepFile } from "./file-name";
import { Trouble } from "./trouble";

type File = "download" | "evidence";

/** Download links to the finished file, or to its evidence certificate. A link cannot carry a guest's token, so for a guest the file is fetched first. */
export function Download({ id, file = "download" }: { id: number; file?: File }) {
  const t = useText();
  const fetched = useMutation({ mutationFn: () => keep(id, file) });
  const Icon = file === "evidence" ? IconCertificate : IconDownload;
  const look = { leftSection: <Icon size={16} aria-hidden />, variant: file === "evidence" ? "default" : "filled" };
  const label = t(file === "evidence" ? "document.evidence" : "document.download");
  if (!guest.token()) return <Button component="a" href={address[file](id)} {...look}>{label}</Button>;
  return (
    <Stack gap="xs" align="flex-start">
      <Button {...look} loading={fetched.isPending} onClick={() => fetched.mutate()}>{label}</Button>
      {fetched.isError && <Trouble error={fetched.error} retry={() => fetched.mutate()} />}
    </Stack>
  );
}

async function keep(id: number, file: File): Promise<void> {
  const answer = await fetch(address[file](id), { credentials, headers: headers() }).catch(() => { throw new Problem(0, "network", "no answer", [], true); });
  if (!answer.ok) throw await refusalOf(answer);
  keepFile(await answer.blob(), fileName(answer.headers.get("Content-Disposition")) ?? `${id}.pdf`);
}
