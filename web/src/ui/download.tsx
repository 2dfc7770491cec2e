import { Button, Stack } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";

import { headers, Problem, problemOf } from "../api/client";
import { address } from "../api/files";
import { guest } from "../api/guest";
import { useText } from "../text";
import { fileName } from "./file-name";
import { Trouble } from "./trouble";

/** Download links to the finished file. A link cannot carry a guest's token, so for a guest the file is fetched first. */
export function Download({ id }: { id: number }) {
  const t = useText();
  const fetched = useMutation({ mutationFn: () => keep(id) });
  const look = { leftSection: <IconDownload size={16} aria-hidden /> };
  if (!guest.token()) return <Button component="a" href={address.download(id)} {...look}>{t("document.download")}</Button>;
  return (
    <Stack gap="xs" align="flex-start">
      <Button {...look} loading={fetched.isPending} onClick={() => fetched.mutate()}>{t("document.download")}</Button>
      {fetched.isError && <Trouble error={fetched.error} retry={() => fetched.mutate()} />}
    </Stack>
  );
}

async function keep(id: number): Promise<void> {
  const answer = await fetch(address.download(id), { headers: headers() }).catch(() => { throw new Problem(0, "network", "no answer", [], true); });
  if (!answer.ok) throw problemOf(answer.status, await answer.json().catch(() => undefined));
  const url = URL.createObjectURL(await answer.blob());
  Object.assign(document.createElement("a"), { href: url, download: fileName(answer.headers.get("Content-Disposition")) ?? `${id}.pdf` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser has read it by then
}
