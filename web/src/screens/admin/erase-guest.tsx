import { Button, Group, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { useAccount } from "../../api/account";
import { eraseGuest } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { ErasureLists } from "../../ui/erasure";
import { Trouble } from "../../ui/trouble";
import { OrganisationSelect } from "./organisation";

interface Props {
  opened: boolean;
  close: () => void;
  /** Takes the sentence that says what was done. */
  done: (said: string) => void;
  /** The organisation that is shown. */
  first: string | undefined;
}

/** By what a guest is found, with the kind of the field. */
const by = { email: "email", phone: "tel" } as const;
type By = keyof typeof by;

/** EraseGuest erases what one organisation stores about a person without an account, and says before what remains. */
export function EraseGuest({ opened, close, ...rest }: Props) {
  const t = useText();
  return <Dialog opened={opened} onClose={close} title={t("admin.eraseGuestTitle")}><Form close={close} {...rest} /></Dialog>;
}

function Form({ close, done, first }: Omit<Props, "opened">) {
  const t = useText();
  const queries = useQueryClient();
  const me = useAccount();
  const [kind, setKind] = useState<By>("email");
  const [typed, setTyped] = useState("");
  const whom = typed.trim();
  const [organisation, setOrganisation] = useState(first ?? me?.business_id);
  const erase = useMutation({
    mutationFn: () => eraseGuest({ [kind]: whom, ...(organisation ? { organisation } : {}) }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["admin"] });
      done(t("admin.eraseGuestDone", { whom }));
      close();
    },
  });
  const problem = erase.error instanceof Problem ? erase.error : undefined;
  const wrong = problem?.of(kind);
  const choose = (to: By) => {
    setKind(to);
    setTyped("");
    erase.reset();
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    erase.mutate();
  };
  return (
    <Stack component="form" gap="sm" onSubmit={submit} {...{ noValidate: true }}>
      <Text size="sm">{t("admin.eraseGuestLead")}</Text>
      <ErasureLists goes={(["documents", "invitations", "suggestions"] as const).map((k) => t(`erasure.guest.${k}`))} stays={(["files", "people", "log"] as const).map((k) => t(`erasure.staying.${k}`))} />
      {me?.role === "operator" && <OrganisationSelect value={organisation} change={(id) => id && setOrganisation(id)} />}
      <Radio.Group label={t("admin.guestBy")} value={kind} onChange={(v) => choose(v as By)}>
        <Group gap="md" mt="xs">{(["email", "phone"] as const).map((k) => <Radio key={k} value={k} label={t(`admin.guestByKinds.${k}`)} />)}</Group>
      </Radio.Group>
      <TextInput label={t(kind === "email" ? "admin.guestEmail" : "admin.guestPhone")} description={kind === "phone" && t("admin.guestPhoneHint")} name="guest" type={by[kind]} autoComplete="off" required data-autofocus value={typed} onChange={(e) => setTyped(e.currentTarget.value)} error={wrong} maxLength={254} />
      {erase.isError && !wrong && <Trouble error={erase.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>{t("new.cancel")}</Button>
        <Button type="submit" color="red" disabled={whom === ""} loading={erase.isPending}>{t("admin.erase")}</Button>
      </Group>
    </Stack>
  );
}
