/**
 * PQL, the query language over the inventory (requirements PQ, U-09):
 *
 *     expression = term { "OR" term }
 *     term       = factor { "AND" factor }
 *     factor     = "NOT" factor | "(" expression ")" | field operator value
 *
 * A value is a text in double quotes (\" and \\ inside) or, for a number, digits. `=` and `!=` compare, `~` and `!~` match
 * a pattern in which only `*` is special, `<` `<=` `>` `>=` compare numbers. Words are read in any case.
 */

export type TextOperator = '=' | '!=' | '~' | '!~';
export type NumberOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

export type Pql =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Pql[] }
  | { readonly kind: 'not'; readonly part: Pql }
  | {
      readonly kind: 'text';
      readonly field: string;
      readonly operator: TextOperator;
      readonly value: string;
    }
  | {
      readonly kind: 'number';
      readonly field: string;
      readonly operator: NumberOperator;
      readonly value: number;
    };

/** Fields that may be asked for, by name; a field of several texts matches when one of them does. */
export type PqlFields = Readonly<Record<string, 'text' | 'texts' | 'number'>>;

export type Parsed =
  | { readonly ok: true; readonly pql: Pql }
  /** `position` counts characters from 1; `problem` completes "pql …". It quotes words of the query, never more. */
  | { readonly ok: false; readonly position: number; readonly problem: string };

const MAX_CHARS = 2000;
const MAX_DEPTH = 32;
const MAX_COMPARISONS = 64;

interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'operator' | 'bracket' | 'end';
  readonly text: string;
  readonly position: number;
}

class Problem extends Error {
  readonly position: number;
  constructor(position: number, problem: string) {
    super(problem);
    this.position = position;
  }
}

/** Reads a query over these fields. */
export function parsePql(source: string, fields: PqlFields): Parsed {
  try {
    if (source.length > MAX_CHARS) throw new Problem(1, `is longer than ${MAX_CHARS} characters`);
    const reader = new Reader(tokensOf(source), fields);
    return { ok: true, pql: reader.whole() };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ok: false, position: error.position, problem: error.message };
  }
}

/** A word, a number, a text with its escapes, an operator or a bracket, at the place that `lastIndex` says. */
const TOKEN =
  /\s*(?:([A-Za-z_][\w.]*)|(\d{1,15})(?![\w.])|"((?:[^"\\]|\\["\\])*)"|(!=|!~|<=|>=|[=~<>])|([()]))/y;

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  const end = source.trimEnd().length;
  for (let at = 0; at < end; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    if (match === null) {
      const start = at + (/^\s*/.exec(source.slice(at))?.[0].length ?? 0);
      throw new Problem(
        start + 1,
        source[start] === '"'
          ? 'has a text without its closing quote, or with a backslash before another character than " and \\'
          : 'has a character that starts nothing',
      );
    }
    at = TOKEN.lastIndex;
    const [whole, word, number, text, operator, bracket] = match;
    const kind =
      word !== undefined
        ? 'word'
        : number !== undefined
          ? 'number'
          : text !== undefined
            ? 'text'
            : operator !== undefined
              ? 'operator'
              : 'bracket';
    const start = at - whole.trimStart().length;
    tokens.push({
      kind,
      text: text?.replace(/\\(["\\])/g, '$1') ?? word ?? number ?? operator ?? bracket ?? '',
      position: start + 1,
    });
  }
  tokens.push({ kind: 'end', text: '', position: end + 1 });
  return tokens;
}

class Reader {
  readonly #tokens: readonly Token[];
  readonly #fields: PqlFields;
  #next = 0;
  #comparisons = 0;

  constructor(tokens: readonly Token[], fields: PqlFields) {
    this.#tokens = tokens;
    this.#fields = fields;
  }

  whole(): Pql {
    const pql = this.#expression(0);
    const rest = this.#peek();
    if (rest.kind !== 'end') throw new Problem(rest.position, 'expects AND, OR or the end here');
    return pql;
  }

  #expression(depth: number): Pql {
    return this.#joined('or', () => this.#joined('and', () => this.#factor(depth)));
  }

  #joined(kind: 'and' | 'or', part: () => Pql): Pql {
    const first = part();
    const parts = [first];
    while (this.#takeWord(kind)) parts.push(part());
    return parts.length === 1 ? first : { kind, parts };
  }

  #factor(depth: number): Pql {
    const token = this.#take();
    if (depth >= MAX_DEPTH) throw new Problem(token.position, `is nested deeper than ${MAX_DEPTH}`);
    if (token.kind === 'word' && token.text.toUpperCase() === 'NOT') {
      return { kind: 'not', part: this.#factor(depth + 1) };
    }
    if (token.text === '(' && token.kind === 'bracket') {
      const inner = this.#expression(depth + 1);
      const close = this.#take();
      if (close.kind !== 'bracket' || close.text !== ')') throw new Problem(close.position, 'expects ) here');
      return inner;
    }
    return this.#comparison(token);
  }

  #comparison(field: Token): Pql {
    if (field.kind !== 'word') throw new Problem(field.position, 'expects a field, NOT or ( here');
    const type = Object.hasOwn(this.#fields, field.text) ? this.#fields[field.text] : undefined;
    if (type === undefined) {
      const known = Object.keys(this.#fields).join(', ');
      throw new Problem(field.position, `asks for a field that is not there; the fields are ${known}`);
    }
    this.#comparisons += 1;
    if (this.#comparisons > MAX_COMPARISONS) {
      throw new Problem(field.position, `has more than ${MAX_COMPARISONS} comparisons`);
    }
    const operator = this.#take();
    const value = this.#take();
    if (type === 'number') {
      if (operator.kind !== 'operator' || operator.text.endsWith('~')) {
        throw new Problem(operator.position, `expects =, !=, <, <=, > or >= behind ${field.text}`);
      }
      if (value.kind !== 'number') throw new Problem(value.position, 'expects a whole number here');
      return {
        kind: 'number',
        field: field.text,
        operator: operator.text as NumberOperator,
        value: Number(value.text),
      };
    }
    if (operator.kind !== 'operator' || !['=', '!=', '~', '!~'].includes(operator.text)) {
      throw new Problem(operator.position, `expects =, !=, ~ or !~ behind ${field.text}`);
    }
    if (value.kind !== 'text') throw new Problem(value.position, 'expects a text in double quotes here');
    if (value.text.includes('\0')) throw new Problem(value.position, 'has a NUL in a text');
    return { kind: 'text', field: field.text, operator: operator.text as TextOperator, value: value.text };
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next += 1;
    return token;
  }

  #takeWord(word: 'and' | 'or'): boolean {
    const token = this.#peek();
    const is = token.kind === 'word' && token.text.toLowerCase() === word;
    if (is) this.#next += 1;
    return is;
  }
}

/** The fields that a query asks for. */
export function fieldsIn(pql: Pql): Set<string> {
  switch (pql.kind) {
    case 'and':
    case 'or':
      return new Set(pql.parts.flatMap((part) => [...fieldsIn(part)]));
    case 'not':
      return fieldsIn(pql.part);
    default:
      return new Set([pql.field]);
  }
}
