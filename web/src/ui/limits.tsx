import { Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { limits } from "../api/files";
import { useLanguage, useText } from "../text";
import { sizeOf, sizesOf } from "./file-size";

/** The limits of a file, beside the place where one is chosen. */
export function Limits({ pages = false }: { pages?: boolean }) {
  const t = useText();
  const language = useLanguage();
  const { data } = useQuery(limits);
  if (!data) return null;
  const size = sizeOf(data.file_size, language);
  return <Text size="sm" c="dimmed" ta="center">{pages ? t("file.limits", { size, pages: new Intl.NumberFormat(language).format(data.pages) }) : t("file.limit", { size })}</Text>;
}

/** Whether a file is larger than the service takes. The service refuses it too, after all of it was sent. */
export function useTooLarge(): (file: File) => boolean {
  const { data } = useQuery(limits);
  return (file) => data !== undefined && file.size > data.file_size;
}

/** TooLarge says why a file was not taken, with both sizes. */
export function TooLarge({ file }: { file: File }) {
  const t = useText();
  const language = useLanguage();
  const { data } = useQuery(limits);
  if (!data) return null;
  const [size, limit] = sizesOf(file.size, data.file_size, language);
  return (
    <Text role="alert" size="sm" c="var(--mantine-color-error)" ta="center" style={{ overflowWrap: "anywhere" }}>
      <IconAlertTriangle size={14} aria-hidden /> {t("file.tooLarge", { name: file.name, size, limit })}
    </Text>
  );
}
