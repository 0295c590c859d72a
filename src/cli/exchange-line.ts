import type { Preflight } from '../http/response-headers.ts'
import type { Exchange, ExchangeSummary, Note } from '../journal/exchange.ts'
import { httpDate } from '../time/clock.ts'
import { type Paint, printable, type Style } from './terminal.ts'

/** The time of day, such as `13:05:09`. */
export function timeOfDay(time: number): string {
  return httpDate(time).slice(17, 25)
}

/**
 * The log line of an exchange: time, method, status, path, plan (without plans: the end of the credential), remaining requests,
 * milliseconds, and remarks.
 */
export function exchangeLine(exchange: ExchangeSummary, basePath: string, paint: Paint): string {
  const { time, method, target, status, caller, plan, key, quota, milliseconds } = exchange
  const details = [
    CALLERS[caller] ?? printable(plan ?? key ?? ''),
    quota ? `${Math.min(quota.after.minute, quota.after.day)} left` : '',
    `${milliseconds.toFixed(1)} ms`,
  ].filter((text) => text !== '')
  const line =
    `${paint('dim', timeOfDay(time))}  ${printable(method).padEnd(6)}  ${paint(statusStyle(status), String(status))}  ` +
    `${printable(basePath + target)}  ${paint('dim', details.join(', '))}`
  const remarks = remarksOf(exchange)

  return remarks === '' ? line : `${line}  ${paint('yellow', printable(remarks))}`
}

/** The refusal or forced outcome of an exchange, and the notes about its request. */
function remarksOf({ preflight, refusal, forced, notes }: ExchangeSummary): string {
  if (!refusal && !forced && notes.length === 0) return ''
  const forcedText = forced ? `forced ${forced}` : ''
  const reason = [forcedText, refusal && describeRefusal(refusal.message, preflight)]
    .filter(Boolean)
    .join(': ')

  return [reason, ...notes.map(remark)].filter(Boolean).join('; ')
}

/** Describes a refusal. Browsers do not tell a page why its preflight failed, so the log must. */
export function describeRefusal(message: string, preflight: Preflight | undefined): string {
  if (!preflight) return message
  return `preflight for ${preflight.method} from ${preflight.origin} failed: ${message}`
}

/** The names of callers without a plan. */
const CALLERS: Readonly<Partial<Record<Exchange['caller'], string>>> = {
  missing: 'no key',
  invalid: 'wrong key',
}

function remark({ kind, place }: Note): string {
  switch (kind) {
    case 'dropped-property':
      return `${place} dropped`
    case 'invalid-input':
      return `${place} is not valid`
    case 'deprecated-operation':
      return `${place} is deprecated`
    default:
      return `${place} ignored`
  }
}

/** The style of a status. */
export function statusStyle(status: number): Style {
  if (status >= 500 || status === 0) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}
