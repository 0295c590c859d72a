import { stripVTControlCharacters, styleText } from 'node:util'
import { shellQuoted } from '../requests/curl.ts'

/** A style of `styleText`, such as `bold` or `red`. */
export type Style = Parameters<typeof styleText>[0]
/** Styles text if the output is a terminal. */
export type Paint = (style: Style, text: string) => string

/** A stream to write to, such as standard output. */
export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Styles text only on a terminal, and not if NO_COLOR is set. */
export function painter(
  { isTTY }: Output = process.stdout,
  environment: NodeJS.ProcessEnv = process.env,
): Paint {
  const hasColor = isTTY === true && !environment.NO_COLOR
  return (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text)
}

/** One line of JSON without control characters, and without what some programs take for the end of a line. */
export function toJsonLine(value: unknown): string {
  // JSON does not escape these characters, and some terminals interpret them.
  const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029]/g, escaped)
}

/** Removes control characters and ends of lines: text of clients and documents must not control the terminal. */
export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/** Removes control characters from a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** Formats rows as lines with aligned columns, two spaces apart. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** The same with a header in bold on a terminal. No cell has control characters afterwards. */
export function tableWithHeader(
  rows: readonly (readonly string[])[],
  paint: Paint = painter(),
): string[] {
  const [header = '', ...lines] = table(rows).map(printable)
  return [paint('bold', header), ...lines]
}

/** A word of a shell command, in quotes where the shell could change it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('=') ? text : shellQuoted(text)
}

/** A URL without its user, password and query, which may be secret. */
export function withoutCredentials(document: string): string {
  return document.replace(/^(https?:\/\/)(?:[^/?#]*@)?([^?#]*).*/is, '$1$2')
}
