import { ActionIcon, Button, Menu, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconLanguage, IconMoon, IconSun } from "@tabler/icons-react";

import { languages, setLanguage, useLanguage, useText } from "../text";

const names = { id: "Bahasa Indonesia", en: "English" } as const;

/** LanguageMenu chooses the language. Each language is named in itself. */
export function LanguageMenu() {
  const t = useText();
  const current = useLanguage();
  return (
    <Menu>
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-md" leftSection={<IconLanguage size={18} aria-hidden />} aria-label={`${current.toUpperCase()}, ${t("app.language")}: ${names[current]}`}>
          {current.toUpperCase()}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {languages.map((l) => (
          <Menu.Item key={l} lang={l} onClick={() => void setLanguage(l)} aria-current={l === current}>
            {names[l]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** SchemeButton switches between light and dark. */
export function SchemeButton() {
  const t = useText();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" onClick={() => setColorScheme(dark ? "light" : "dark")} aria-label={`${t("app.scheme")}: ${dark ? t("app.light") : t("app.dark")}`}>
      {dark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
    </ActionIcon>
  );
}
