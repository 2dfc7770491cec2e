import { Badge, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { certificates, standings, type Certificate } from "../../api/admin";
import { useText } from "../../text";
import { commonName } from "./common-name";
import { Facts, Filtering, Find, Line, Lines, Only, useWhen, type SectionProps } from "./lines";

const colours: Record<Certificate["standing"], string> = { valid: "seal", ended: "gray", revoked: "red" };

/** What was verified about the holder, if the ledger recorded it. */
const assurances = { guest_unverified: true, guest_phone_code: true, guest_mailbox_code: true, account_password: true, organisation_seal: true, specimen: true } as const;
type Assurance = keyof typeof assurances;

/** Certificates lists the certificates of the embedded authority, those that expire first at the top. */
export function Certificates(props: SectionProps) {
  const t = useText();
  const found = useQuery(certificates(props.selection));
  return (
    <Stack>
      {found.data && found.data.authority.length > 0 && (
        <Stack gap="xs">
          <Title order={2} size="h5">{t("admin.authority")}</Title>
          <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }}>{found.data.authority.map((c) => <One key={c.serial} certificate={c} />)}</Stack>
        </Stack>
      )}
      <Title order={2} size="h5">{t("admin.issued")}</Title>
      <Filtering>
        <Only {...props} label={t("list.status")} words={standings.map((s) => ({ value: s, label: t(`admin.standings.${s}`) }))} />
        <Find {...props} label={t("admin.certificateSerial")} />
      </Filtering>
      <Lines {...props} of={found} items={(d) => d.certificates} empty={t("admin.noCertificates")}>{(c) => <One key={c.serial} certificate={c} />}</Lines>
    </Stack>
  );
}

/** How long before its end a certificate that nothing replaces by itself is urgent: that of the second alert about it. */
const urgent = 30 * 24 * 60 * 60 * 1000;

function One({ certificate: c }: { certificate: Certificate }) {
  const t = useText();
  const when = useWhen();
  const replaced = c.role === "person" || c.role === "seal";
  const soon = !replaced && Date.parse(c.not_after) - Date.now() < urgent ? "red" : "orange";
  return (
    <Line title={commonName(c.subject)} badge={<Badge size="sm" variant="default">{t(`admin.roles.${c.role}`)}</Badge>}
      end={<Badge variant="outline" color={c.ends_soon ? soon : colours[c.standing]}>{t(c.ends_soon ? "admin.endsSoon" : `admin.standings.${c.standing}`)}</Badge>}>
      <Facts of={[c.revoked_at ? t("admin.revokedAt", { when: when(c.revoked_at) }) : t("admin.until", { when: when(c.not_after) }), t("admin.from", { when: when(c.issued_at) }), c.serial]} />
      {c.assurance in assurances && <Facts of={[t(`admin.assurances.${c.assurance as Assurance}`, { by: c.named_by })]} />}
      {commonName(c.subject) !== c.subject && <Facts of={[c.subject]} />}
    </Line>
  );
}
