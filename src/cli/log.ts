import { stripVTControlCharacters, styleText } from 'node:util'
import type { Preflight } from '../http/cross-origin.ts'
import type { Exchange, ExchangeSummary, Note } from '../journal/exchange.ts'
import { httpDate } from '../time/clock.ts'

type Style = Parameters<typeof styleText>[0]
/** Gives text its colour, where the output is a terminal. */
export type Paint = (style: Style, text: string) => string

/** A place to write lines to: standard output, but for tests. */
export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Colour on a terminal only, and not where NO_COLOR asks for none. */
export function painter({ isTTY }: Output, environment: NodeJS.ProcessEnv): Paint {
  const hasColor = isTTY === true && !environment.NO_COLOR
  return (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text)
}

/** One line of JSON, of which no character steers a terminal. */
export function toJson(value: unknown): string {
  // JSON leaves these as they are, and some terminals obey them.
  const escaped = (char: string): string => `\\u00${char.charCodeAt(0).toString(16)}`
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, escaped)
}

/** The time of the day. */
export function clockTime(time: number): string {
  return httpDate(time).slice(17, 25)
}

/** Time, method, path, status, plan, requests left, milliseconds, and why it was refused. */
export function prettyLine(exchange: ExchangeSummary, basePath: string, paint: Paint): string {
  const { time, method, target, status, caller, plan, quota, milliseconds } = exchange
  const left = Math.min(quota.after.minute, quota.after.day)
  const took = milliseconds.toFixed(1)
  const who = CALLERS[caller] ?? printable(plan)
  const line =
    `${paint('dim', clockTime(time))}  ${printable(method).padEnd(6)}  ${paint(styleOf(status), String(status))}  ` +
    `${printable(basePath + target)}  ${paint('dim', `${who}, ${left} left, ${took} ms`)}`
  const remarks = remarksOf(exchange)

  return remarks === '' ? line : `${line}  ${paint('yellow', printable(remarks))}`
}

/** Why it was refused, and what the client did that it had better not. */
function remarksOf({ preflight, refusal, forced, notes }: ExchangeSummary): string {
  if (!refusal && !forced && notes.length === 0) return ''
  const force = forced ? `forced ${forced}` : ''
  const why = [force, refusal && failure(refusal.message, preflight)].filter(Boolean).join(': ')

  return [why, ...notes.map(remark)].filter(Boolean).join('; ')
}

/** Why a request was refused. Browsers do not tell the page why its preflight failed, so the log does. */
export function failure(why: string, preflight: Preflight | undefined): string {
  if (!preflight) return why
  return `preflight for ${preflight.method} from ${preflight.origin} failed: ${why}`
}

/** How callers without a plan of their own are shown. */
const CALLERS: Readonly<Partial<Record<Exchange['caller'], string>>> = {
  missing: 'no key',
  invalid: 'wrong key',
}

function remark({ kind, place }: Note): string {
  switch (kind) {
    case 'dropped-property':
      return `${place} dropped`
    case 'deprecated-operation':
      return `${place} is deprecated`
    default:
      return `${place} ignored`
  }
}

/** The colour of a status. */
export function styleOf(status: number): Style {
  if (status >= 500 || status === 0) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

/** What clients send, and what documents say, must not steer the terminal. */
export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')
}

/** A message of several lines, of which each is shown as it is but for what would steer the terminal. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
