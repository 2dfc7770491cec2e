import { Anchor, Button, Menu, NavLink, type AnchorProps, type ButtonProps, type MenuItemProps, type NavLinkProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

// Mantine components as router links, whose address and parameters are type-checked against the route table.

type Own<P> = P & Omit<ComponentPropsWithRef<"a">, keyof P>;

export const AnchorLink = createLink((props: Own<AnchorProps>) => <Anchor {...props} />);
export const ButtonLink = createLink((props: Own<ButtonProps>) => <Button component="a" {...props} />);
export const MenuItemLink = createLink((props: Own<MenuItemProps>) => <Menu.Item component="a" {...props} />);
export const NavLinkLink = createLink((props: Own<NavLinkProps>) => <NavLink component="a" {...props} />);
