import { plural } from '../validation/usage-error.ts'

/** The default limit of characters for text that a client sent. */
const DEFAULT_LENGTH = 80

/** Text that a client sent, on one line: shortened, and without control characters, which could steer a terminal. */
export function toOneLine(text: string, maxLength: number = DEFAULT_LENGTH): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return short.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/** An integer as text, such as `12,345`. */
export function formatNumber(number: number): string {
  return number.toLocaleString('en')
}

/** An integer with a noun, such as `1 request` or `12,345 requests`. */
export function formatCount(number: number, noun: string): string {
  return `${formatNumber(number)} ${plural(number, noun)}`
}

/** Milliseconds as text: `12 ms`, `1.5 s`, `4 min`, `3 h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`
  if (milliseconds < 120_000) return `${Number((milliseconds / 1000).toFixed(1))} s`
  if (milliseconds < 7_200_000) return `${Math.round(milliseconds / 60_000)} min`

  return `${Math.round(milliseconds / 3_600_000)} h`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** `12:00:00.123`, in UTC on the sandbox's clock. */
export function timeOfDay(time: number): string {
  return new Date(time).toISOString().slice(11, 23)
}

/** Escapes text for XML and HTML. Characters that XML 1.0 forbids, such as most control characters, become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
