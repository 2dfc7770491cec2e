interface Props {
  size?: number;
}

/** Mark is the sign of the app: a seal with a stroke of a pen through it. It is also the icon of the page (public/favicon.svg). */
export function Mark({ size = 28 }: Props) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false" style={{ flex: "none" }}>
      <path d="M16 1l3.6 2.6 4.4-.3 1.600 4.100 4.100 1.600-.3 4.400L32 16l-2.600 3.600.3 4.400-4.100 1.600-1.600 4.100-4.400-.3L16 31l-3.600-2.600-4.400.3-1.600-4.100-4.100-1.600.3-4.400L0 16l2.600-3.600-.3-4.400 4.100-1.600L8 2.300l4.400.3z" fill="var(--mantine-color-seal-7)" />
      <path d="M7.500 19.500c2.600-5.500 5.200-8.700 6.700-8 1.700.9-1.900 8.300-.4 9 1.200.6 3.300-4.300 4.800-3.800 1.100.4.1 3.100 1.300 3.400 1.200.3 2.500-1.500 4.600-3.300" fill="none" stroke="#fff" strokeWidth="2.200" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
