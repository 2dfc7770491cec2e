import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";

import { verifyForPDF, type Report } from "../../api/verify";
import { useText } from "../../text";
import { keepFile } from "../../ui/file-name";
import { Trouble } from "../../ui/trouble";

interface Props {
  report: Report;
  file: File;
  password: string;
}

/** KeepReport downloads the report: as PDF, for which the file is verified again, or as JSON, as it was received. */
export function KeepReport({ report, file, password }: Props) {
  const t = useText();
  const name = `${file.name.replace(/\.pdf$/i, "")}-${t("verify.reportName")}`;
  const pdf = useMutation({ mutationFn: async () => keepFile(await verifyForPDF(file, password), `${name}.pdf`) });
  const look = { variant: "default", size: "xs", leftSection: <IconDownload size={16} aria-hidden /> } as const;
  return (
    <Stack gap="xs" data-report>
      <Group gap="xs">
        <Text size="sm" fw={600}>{t("verify.keepReport")}</Text>
        <Button {...look} loading={pdf.isPending} onClick={() => pdf.mutate()} aria-label={t("verify.keepAs", { format: "PDF" })}>PDF</Button>
        <Button {...look} onClick={() => keepFile(new Blob([JSON.stringify(report, null, 2)], { type: "application/json" }), `${name}.json`)} aria-label={t("verify.keepAs", { format: "JSON" })}>JSON</Button>
      </Group>
      {pdf.isError && <Trouble error={pdf.error} retry={() => pdf.mutate()} />}
    </Stack>
  );
}
