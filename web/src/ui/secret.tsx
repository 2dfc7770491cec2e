import { PasswordInput, type PasswordInputProps } from "@mantine/core";

import { useText } from "../text";

/** Secret is a password field. It shows its own error, and the button that reveals the letters can be reached by keyboard. */
export function Secret(props: PasswordInputProps) {
  const t = useText();
  return <PasswordInput {...props} aria-invalid={props.error ? true : undefined} visibilityToggleFocusable visibilityToggleButtonProps={{ "aria-label": t("app.showPassword") }} />;
}
