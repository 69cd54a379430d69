/** Classes of characters, looked up by code: the scanners read text one code at a time, so that no input is slow. */

export const LETTER_OR_DIGIT = 1;
/** What names are made of: letters, digits, `_`, `-`, `.`, and everything outside ASCII. */
export const WORD = 2;
export const SPACE = 4;
/** The alphabets of base64 and base64url, and the dot between their parts. Padding says nothing. */
export const BASE64 = 8;
export const UPPER = 16;
export const LOWER = 32;
export const DIGIT = 64;
export const HEX = 128;

export const QUOTE = 0x22;
export const ASTERISK = 0x2a;
export const APOSTROPHE = 0x27;
export const BACKTICK = 0x60;
export const BACKSLASH = 0x5c;
export const COLON = 0x3a;
export const EQUALS = 0x3d;
export const PERCENT = 0x25;
export const SLASH = 0x2f;
export const DASH = 0x2d;
export const AT = 0x40;
export const LESS = 0x3c;
export const GREATER = 0x3e;
export const AMPERSAND = 0x26;
export const COMMA = 0x2c;
export const SEMICOLON = 0x3b;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;

/** By code, so that no scanner has to tell ASCII from the rest. Outside it all count as parts of words, but for spaces. */
const classes = new Uint8Array(65_536).fill(WORD, 128);
for (const space of [0xa0, 0x2028, 0x2029]) classes[space] = SPACE;

const mark = (characters: string, flags: number): void => {
  for (let i = 0; i < characters.length; i++) {
    const code = characters.charCodeAt(i);
    classes[code] = (classes[code] as number) | flags;
  }
};
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZ', LETTER_OR_DIGIT | WORD | BASE64 | UPPER);
mark('abcdefghijklmnopqrstuvwxyz', LETTER_OR_DIGIT | WORD | BASE64 | LOWER);
mark('0123456789', LETTER_OR_DIGIT | WORD | BASE64 | DIGIT | HEX);
mark('abcdefABCDEF', HEX);
mark('_-', WORD | BASE64);
mark('.', WORD | BASE64);
mark('+/', BASE64);
mark(' \t\n\v\f\r', SPACE);

/** The classes of a character code, as a set of bits. */
export const classOf = (code: number): number => classes[code] as number;
