import { Alert, Button, FileButton, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type FormEvent } from "react";

import { branding, removeBranding, setBranding, type Branding as Brand } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { contrast, textOn } from "../../ui/contrast";
import { Loading } from "../../ui/loading";
import { Sender } from "../../ui/sender";
import { Trouble } from "../../ui/trouble";
import type { SectionProps } from "./lines";

/** Branding sets the logo and the colour that guests and signatures show. An operator chooses the organisation; without a choice it is their own. */
export function Branding({ search }: SectionProps) {
  const t = useText();
  const found = useQuery(branding(search.organisation));
  return (
    <Stack>
      <div>
        <Title order={2} size="h5">{t("branding.title")}</Title>
        <Text size="sm" c="dimmed">{t("branding.lead")}</Text>
      </div>
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Form key={found.data.organisation.id} stored={found.data} />}
    </Stack>
  );
}

function Form({ stored }: { stored: Brand }) {
  const t = useText();
  const queries = useQueryClient();
  const [colour, setColour] = useState(stored.colour ?? "");
  const [file, setFile] = useState<File | null>();
  const picture = useAddress(file);
  const done = (b: Brand | null) => {
    if (b) queries.setQueryData(branding(undefined).queryKey, (was: Brand | undefined) => (was?.organisation.id === b.organisation.id ? b : was));
    setFile(undefined);
    setColour(b?.colour ?? "");
    void queries.invalidateQueries({ queryKey: ["admin", "branding"] });
  };
  const save = useMutation({ mutationFn: () => setBranding(stored.organisation.id, colour, file), onSuccess: done });
  const remove = useMutation({ mutationFn: () => removeBranding(stored.organisation.id), onSuccess: () => done(null) });
  const problem = save.error instanceof Problem ? save.error : undefined;
  const valid = /^#[0-9a-f]{6}$/i.test(colour);
  const logo = file === undefined ? stored.logo : file === null ? null : picture;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    save.mutate();
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("branding.title")}>
      <Stack gap="md">
        <Stack gap={6} align="flex-start">
          <Text size="sm" fw={500}>{t("branding.logo")}</Text>
          <Group gap="xs">
            <FileButton accept="image/png,image/jpeg,image/svg+xml" onChange={(f) => { if (f) { save.reset(); setFile(f); } }}>
              {(props) => <Button {...props} variant="default" size="sm">{t(logo ? "branding.replace" : "branding.choose")}</Button>}
            </FileButton>
            {logo && <Button variant="subtle" color="red" size="sm" onClick={() => setFile(null)}>{t("branding.without")}</Button>}
          </Group>
          <Text size="xs" c="dimmed">{t("branding.logoHint")}</Text>
        </Stack>
        <TextInput label={t("branding.colour")} description={t("branding.colourHint")} maw={400} value={colour} maxLength={7} onChange={(e) => setColour(e.currentTarget.value.trim())} error={problem?.of("colour")} placeholder="#0b6e5f"
          rightSection={<input type="color" aria-label={t("branding.pick")} value={valid ? colour : "#0b6e5f"} onChange={(e) => setColour(e.currentTarget.value)} style={{ width: 28, height: 28, padding: 0, border: 0, background: "none" }} />} />
        {valid && contrast(colour, "#ffffff") < 3 && <Text size="sm" role="status">{t("branding.pale")}</Text>}
        <div>
          <Text size="sm" fw={500} mb={6}>{t("branding.preview")}</Text>
          <Stack gap="sm" data-preview>
            <Sender brand={{ organisation: stored.organisation.name, colour: valid ? colour.toLowerCase() : null, logo }} />
            <Card name={stored.organisation.name} colour={valid ? colour : "#1858a0"} logo={logo} />
          </Stack>
        </div>
        {problem && !problem.of("colour") && <Trouble error={problem} />}
        {remove.isError && <Trouble error={remove.error} />}
        <Group justify="space-between">
          <Button variant="subtle" color="red" disabled={!stored.logo && !stored.colour} loading={remove.isPending} onClick={() => remove.mutate()}>{t("branding.remove")}</Button>
          <Group gap="sm">
            <Text size="sm" role="status">{save.isSuccess && file === undefined && t("branding.saved")}</Text>
            <Button type="submit" loading={save.isPending}>{t("branding.save")}</Button>
          </Group>
        </Group>
        {remove.isSuccess && !stored.logo && !stored.colour && <Alert color="seal" role="status">{t("branding.removed")}</Alert>}
      </Stack>
    </Paper>
  );
}

/** Card is roughly how a signature on a page looks. */
function Card({ name, colour, logo }: { name: string; colour: string; logo: string | null }) {
  const t = useText();
  return (
    <Group role="img" aria-label={t("branding.card")} gap={8} p={8} wrap="nowrap" w={260} maw="100%" bg="white" c="#162136" style={{ border: "1px solid #c8d2de", borderRadius: 6 }}>
      <div style={{ width: 4, alignSelf: "stretch", borderRadius: 2, background: colour, color: textOn(colour) }} />
      <Stack gap={0} style={{ flex: 1 }} miw={0}>
        <Text component="span" size="xl" fs="italic" lh={1.2} c="#162136">Budi</Text>
        <Text component="span" fz={11} fw={700} c="#162136">Budi Santoso</Text>
        <Text component="span" fz={10} c="#566375" truncate>{name}</Text>
      </Stack>
      {logo && <img src={logo} alt="" style={{ maxWidth: 64, maxHeight: 36, objectFit: "contain", alignSelf: "flex-start" }} />}
    </Group>
  );
}

/** The address of a file on this device, for a preview. */
function useAddress(file: File | null | undefined): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!file) return setAddress(null);
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return address;
}
