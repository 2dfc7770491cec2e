import { PasswordInput, type PasswordInputProps } from "@mantine/core";

import { useText } from "../text";

/** Secret is a field for a password: what is wrong is told of the field itself, and keys reach what shows its letters. */
export function Secret(props: PasswordInputProps) {
  const t = useText();
  return <PasswordInput {...props} aria-invalid={props.error ? true : undefined} visibilityToggleFocusable visibilityToggleButtonProps={{ "aria-label": t("app.showPassword") }} />;
}
