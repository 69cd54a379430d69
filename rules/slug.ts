/**
 * A URL-safe slug of a display name: lower-case letters, digits and single dashes; accents are dropped. It has no
 * length limit (CF-03), and is empty when the name holds no letter or digit that ASCII has.
 */
export const slugify = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
