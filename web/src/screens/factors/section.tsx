import { Alert, Badge, Button, Code, Group, Image, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";

import { Problem } from "../../api/client";
import { changes, factors, useFactorChange, type Factors } from "../../api/factors";
import { passkeysOffered } from "../../api/passkey";
import { useLanguage, useText } from "../../text";
import { Copy } from "../../ui/copy";
import { Dialog } from "../../ui/dialog";
import { Secret } from "../../ui/secret";
import { Trouble } from "../../ui/trouble";

type Passkey = Factors["passkeys"][number];

/** What is being done in a dialog. */
type Doing = { what: "totp" | "removeTOTP" | "recovery" | "addPasskey" } | { what: "rename" | "removePasskey"; passkey: Passkey };

/** FactorSection shows the second factors of the caller, and lets them change these. */
export function FactorSection({ factors: f }: { factors: Factors }) {
  const t = useText();
  const language = useLanguage();
  const [doing, setDoing] = useState<Doing>();
  const [codes, setCodes] = useState<string[]>();
  const day = (iso: string) => new Date(iso).toLocaleDateString(language, { dateStyle: "medium" });
  const any = f.totp || f.passkeys.length > 0;
  const end = (made?: string[]) => {
    setDoing(undefined);
    if (made && made.length > 0) setCodes(made);
  };
  return (
    <Stack component="section" aria-labelledby="factors-title">
      <Title order={2} size="h4" id="factors-title">{t("factors.section")}</Title>
      <Text size="sm" c="dimmed">{t("factors.lead")}</Text>
      {f.few_recovery_codes && <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>{t("factors.few", { count: f.recovery_codes })}</Alert>}
      <Card title={t("factors.app")} on={f.totp} state={f.totp_since ? t("factors.since", { date: day(f.totp_since) }) : t("factors.appLead")}>
        {f.totp
          ? <Button variant="default" size="xs" onClick={() => setDoing({ what: "removeTOTP" })}>{t("factors.remove")}</Button>
          : <Button size="xs" onClick={() => setDoing({ what: "totp" })}>{t("factors.addApp")}</Button>}
      </Card>
      <Card title={t("factors.passkeys")} on={f.passkeys.length > 0} state={t("factors.passkeysLead")}>
        {f.passkeys.length > 0 && (
          <Stack component="ul" gap="xs" w="100%" m={0} p={0} style={{ listStyle: "none" }}>
            {f.passkeys.map((k) => (
              <Group component="li" key={k.id} justify="space-between" gap="xs">
                <div>
                  <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>{k.name}</Text>
                  <Text size="xs" c="dimmed">{t("factors.since", { date: day(k.created_at) })}. {k.last_used_at === null ? t("factors.neverUsed") : t("factors.used", { date: day(k.last_used_at) })} {t(k.synced ? "factors.synced" : "factors.bound")}</Text>
                </div>
                <Group gap="xs">
                  <Button variant="default" size="xs" aria-label={t("factors.renameOf", { name: k.name })} onClick={() => setDoing({ what: "rename", passkey: k })}>{t("factors.rename")}</Button>
                  <Button variant="default" size="xs" aria-label={t("factors.removeOf", { name: k.name })} onClick={() => setDoing({ what: "removePasskey", passkey: k })}>{t("factors.remove")}</Button>
                </Group>
              </Group>
            ))}
          </Stack>
        )}
        {f.passkeys_possible && passkeysOffered()
          ? <Button size="xs" onClick={() => setDoing({ what: "addPasskey" })}>{t("factors.addPasskey")}</Button>
          : <Text size="sm" c="dimmed">{t(f.passkeys_possible ? "factors.noPasskeysBrowser" : "factors.noPasskeysAddress")}</Text>}
      </Card>
      {any && (
        <Card title={t("factors.recovery")} on={f.recovery_codes > 0} state={t("factors.recoveryLeft", { count: f.recovery_codes })}>
          <Button variant="default" size="xs" onClick={() => setDoing({ what: "recovery" })}>{t("factors.newCodes")}</Button>
        </Card>
      )}
      <Dialog opened={doing !== undefined} onClose={() => end()} title={doing ? t(`factors.do.${doing.what}`) : ""}>
        {doing && <Do doing={doing} end={end} />}
      </Dialog>
      <Dialog stays opened={codes !== undefined} onClose={() => setCodes(undefined)} title={t("factors.codesTitle")}>
        {codes && <RecoveryCodes codes={codes} done={() => setCodes(undefined)} />}
      </Dialog>
    </Stack>
  );
}

function Card({ title, on, state, children }: { title: string; on: boolean; state: string; children: ReactNode }) {
  const t = useText();
  return (
    <Paper withBorder p="md">
      <Stack gap="xs" align="flex-start">
        <Group gap="xs"><Title order={3} size="h6">{title}</Title><Badge variant="light" color={on ? "seal" : "gray"}>{t(on ? "factors.on" : "factors.off")}</Badge></Group>
        <Text size="sm">{state}</Text>
        {children}
      </Stack>
    </Paper>
  );
}

type End = (codes?: string[]) => void;

function Do({ doing, end }: { doing: Doing; end: End }) {
  switch (doing.what) {
    case "totp": return <AddApp end={end} />;
    case "removeTOTP": return <WithPassword lead="factors.removeLead" danger change={changes.removeTOTP} end={() => end()} />;
    case "recovery": return <WithPassword lead="factors.newCodesLead" change={changes.recoveryCodes} end={end} />;
    case "addPasskey": return <AddPasskey end={end} />;
    case "rename": return <Rename passkey={doing.passkey} end={end} />;
    case "removePasskey": return <WithPassword lead="factors.removeLead" danger change={(current) => changes.removePasskey({ id: doing.passkey.id, current })} end={() => end()} />;
  }
}

/** The sentence about one member of the input, or about all of it. */
const ofField = (error: unknown, field: string) => (error instanceof Problem ? error.of(field) : undefined);
const other = (error: unknown) => error !== null && !(error instanceof Problem && error.fields.length > 0);

interface WithPasswordProps<Out> {
  lead: "factors.removeLead" | "factors.newCodesLead";
  danger?: boolean;
  change: (current: string) => Promise<Out>;
  end: (out: Out) => void;
}

/** Whether the caller has no password that is accepted: then a recent login at their provider counts, for which the service asks by itself. */
const useByProvider = () => useQuery(factors).data?.by_provider ?? false;

/** WithPassword does what takes the password again. */
function WithPassword<Out>({ lead, danger = false, change, end }: WithPasswordProps<Out>) {
  const t = useText();
  const byProvider = useByProvider();
  const [current, setCurrent] = useState("");
  const act = useFactorChange(change);
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (byProvider || current !== "") act.mutate(current, { onSuccess: end });
  };
  return (
    <Stack component="form" gap="sm" onSubmit={submit} {...{ noValidate: true }}>
      <Text size="sm">{t(lead)}</Text>
      {!byProvider && <Secret label={t("password.current")} name="current" autoComplete="current-password" data-autofocus required value={current} onChange={(e) => setCurrent(e.currentTarget.value)} error={ofField(act.error, "current")} />}
      {other(act.error) && <Trouble error={act.error} />}
      <Group justify="flex-end"><Button type="submit" {...(danger ? { color: "red" } : {})} disabled={!byProvider && current === ""} loading={act.isPending}>{t(danger ? "factors.remove" : "factors.newCodes")}</Button></Group>
    </Stack>
  );
}

/** AddApp shows the secret of an authenticator app, and takes its first code. */
function AddApp({ end }: { end: End }) {
  const t = useText();
  const byProvider = useByProvider();
  const [current, setCurrent] = useState("");
  const [otp, setOTP] = useState("");
  const begin = useFactorChange(changes.beginTOTP), confirm = useFactorChange(changes.confirmTOTP);
  if (!begin.data) {
    return (
      <Stack component="form" gap="sm" onSubmit={(e: FormEvent) => { e.preventDefault(); if (byProvider || current !== "") begin.mutate(current); }} {...{ noValidate: true }}>
        <Text size="sm">{t("factors.appSteps")}</Text>
        {!byProvider && <Secret label={t("password.current")} name="current" autoComplete="current-password" data-autofocus required value={current} onChange={(e) => setCurrent(e.currentTarget.value)} error={ofField(begin.error, "current")} />}
        {other(begin.error) && <Trouble error={begin.error} />}
        <Group justify="flex-end"><Button type="submit" disabled={!byProvider && current === ""} loading={begin.isPending}>{t("factors.next")}</Button></Group>
      </Stack>
    );
  }
  const { secret, qr, uri, ticket } = begin.data;
  return (
    <Stack component="form" gap="sm" onSubmit={(e: FormEvent) => { e.preventDefault(); if (otp !== "") confirm.mutate({ ticket, otp }, { onSuccess: end }); }} {...{ noValidate: true }}>
      <Text size="sm">{t("factors.scan")}</Text>
      <Image src={qr} alt={t("factors.qr")} w={200} h={200} mx="auto" style={{ imageRendering: "pixelated" }} />
      <Text size="sm">{t("factors.type")}</Text>
      <Group gap="xs" wrap="nowrap"><Code data-secret style={{ overflowWrap: "anywhere" }}>{secret.replace(/(.{4})/g, "$1 ").trim()}</Code><Copy text={secret} /></Group>
      <Text size="sm"><a href={uri}>{t("factors.openApp")}</a></Text>
      <TextInput label={t("factors.firstCode")} name="otp" value={otp} onChange={(e) => setOTP(e.currentTarget.value)} error={ofField(confirm.error, "otp")} inputMode="numeric" autoComplete="one-time-code" maxLength={9} required autoFocus styles={{ input: { letterSpacing: "0.2em" } }} />
      {other(confirm.error) && <Trouble error={confirm.error} />}
      <Group justify="flex-end"><Button type="submit" disabled={otp === ""} loading={confirm.isPending}>{t("factors.confirm")}</Button></Group>
    </Stack>
  );
}

function AddPasskey({ end }: { end: End }) {
  const t = useText();
  const byProvider = useByProvider();
  const [current, setCurrent] = useState("");
  const [name, setName] = useState("");
  const add = useFactorChange((input: { current: string; name: string }): Promise<string[]> => changes.addPasskey(input));
  const ready = (byProvider || current !== "") && name.trim() !== "";
  return (
    <Stack component="form" gap="sm" onSubmit={(e: FormEvent) => { e.preventDefault(); if (ready) add.mutate({ current, name }, { onSuccess: end }); }} {...{ noValidate: true }}>
      <Text size="sm">{t("factors.passkeySteps")}</Text>
      <TextInput label={t("factors.passkeyName")} placeholder={t("factors.passkeyExample")} data-autofocus required maxLength={100} value={name} onChange={(e) => setName(e.currentTarget.value)} error={ofField(add.error, "name")} />
      {!byProvider && <Secret label={t("password.current")} name="current" autoComplete="current-password" required value={current} onChange={(e) => setCurrent(e.currentTarget.value)} error={ofField(add.error, "current")} />}
      {other(add.error) && <Trouble error={add.error} />}
      <Group justify="flex-end"><Button type="submit" disabled={!ready} loading={add.isPending}>{t("factors.addPasskey")}</Button></Group>
    </Stack>
  );
}

function Rename({ passkey, end }: { passkey: Passkey; end: End }) {
  const t = useText();
  const [name, setName] = useState(passkey.name);
  const rename = useFactorChange(changes.renamePasskey);
  return (
    <Stack component="form" gap="sm" onSubmit={(e: FormEvent) => { e.preventDefault(); if (name.trim() !== "") rename.mutate({ id: passkey.id, name }, { onSuccess: () => end() }); }} {...{ noValidate: true }}>
      <TextInput label={t("factors.passkeyName")} data-autofocus required maxLength={100} value={name} onChange={(e) => setName(e.currentTarget.value)} error={ofField(rename.error, "name")} />
      {other(rename.error) && <Trouble error={rename.error} />}
      <Group justify="flex-end"><Button type="submit" disabled={name.trim() === ""} loading={rename.isPending}>{t("factors.save")}</Button></Group>
    </Stack>
  );
}

/** RecoveryCodes shows codes, once. */
function RecoveryCodes({ codes, done }: { codes: string[]; done: () => void }) {
  const t = useText();
  return (
    <Stack gap="sm">
      <Text size="sm">{t("factors.codesLead")}</Text>
      <Group component="ul" gap="xs" m={0} p={0} style={{ listStyle: "none" }} data-recovery>{codes.map((c) => <li key={c}><Code>{c}</Code></li>)}</Group>
      <Group justify="space-between"><Group gap={4}><Copy text={codes.join("\n")} /><Text size="sm">{t("factors.copyAll")}</Text></Group><Button data-autofocus onClick={done}>{t("factors.kept")}</Button></Group>
    </Stack>
  );
}
