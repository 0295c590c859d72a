import { stripVTControlCharacters, styleText } from 'node:util'
import { httpDate } from '../clock.ts'
import type { Exchange, Note, Preflight, ToldExchange } from '../exchange.ts'
import { OWN, type WorldListener } from '../sandbox/worlds.ts'
import type { Stray } from '../transports/server.ts'
import type { Log } from './read-setting.ts'

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

/** What writes a line for each exchange, and for what is none. */
export type RequestLog = WorldListener & Remarks

interface Remarks {
  /** Writes that a world had to go for a newer one. */
  readonly dropped: (world: string, time: number) => void
  /** Writes of a request that reached no world. */
  readonly stray: (stray: Stray, time: number) => void
}

/** What writes the lines of a log; `undefined` for a silent one. */
export function createLog(
  log: Log,
  basePath: string,
  output: Output,
  paint: Paint,
): RequestLog | undefined {
  if (log === 'silent') return undefined
  const write = inBatches(output)
  const place = (world: string): string => placeOf(world) + basePath
  const exchange: WorldListener =
    log === 'json'
      ? (one, world) => write(jsonLine(one, world))
      : (one, world) => write(prettyLine(one, place(world), paint))
  const remarks: Remarks =
    log === 'json'
      ? {
          dropped: (world, time) => write(timedLine({ time, world, dropped: true })),
          stray: (stray, time) => write(timedLine({ time, ...stray })),
        }
      : {
          dropped: (world, time) => write(droppedLine(world, time, paint)),
          stray: (stray, time) => write(strayLine(stray, time, paint)),
        }

  return Object.assign(exchange, remarks)
}

/**
 * Lines wait so long for others, in milliseconds: a write for each would cost more than its answer. Not so long that a batch of
 * a busy server fills a pipe, for then the server waits for who reads it.
 */
const BATCH = 5

/** So many bytes fill a batch, which is written at once then. */
const FULL = 64 * 1024

/** Lines wait as bytes: as strings, they would be copied by each collection of young objects. */
function inBatches(output: Output): (line: string) => void {
  const bytes = Buffer.alloc(FULL)
  let used = 0
  const flush = (): void => {
    if (used > 0) output.write(bytes.toString('utf8', 0, used))
    used = 0
  }
  return (line) => {
    // UTF-8 has three bytes at most for what a string counts as one.
    const most = 3 * line.length + 1
    if (used + most > FULL) flush()
    if (most > FULL) return void output.write(`${line}\n`)
    if (used === 0) setTimeout(flush, BATCH)
    used += bytes.write(`${line}\n`, used)
  }
}

/** What the addresses of a world start with. */
function placeOf(world: string): string {
  return world === OWN ? '' : `/worlds/${world}`
}

function jsonLine(exchange: Exchange, world: string): string {
  const { time, ...rest } = exchange
  return timedLine({ time, ...(world !== OWN && { world }), ...rest })
}

function timedLine({ time, ...rest }: Record<string, unknown> & { readonly time: number }): string {
  return toJson({ time: new Date(time).toISOString(), ...rest })
}

/** One line of JSON, of which no character steers a terminal. */
export function toJson(value: unknown): string {
  // JSON leaves these as they are, and some terminals obey them.
  const escaped = (char: string): string => `\\u00${char.charCodeAt(0).toString(16)}`
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, escaped)
}

function droppedLine(world: string, time: number, paint: Paint): string {
  const line = `the world ${world} is dropped for a newer one: --worlds allows no more`
  return `${paint('dim', clockTime(time))}  ${paint('yellow', line)}`
}

/** As a line of an exchange, which has more to tell. */
function strayLine(
  { method, target, status, message, preflight }: Stray,
  time: number,
  paint: Paint,
): string {
  return [
    paint('dim', clockTime(time)),
    printable(method).padEnd(6),
    paint(styleOf(status), String(status)),
    printable(target),
    paint('yellow', printable(failure(message, preflight))),
  ].join('  ')
}

function clockTime(time: number): string {
  return httpDate(time).slice(17, 25)
}

/** Time, method, path, status, plan, requests left, milliseconds, and why it was refused. */
export function prettyLine(exchange: ToldExchange, basePath: string, paint: Paint): string {
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
function remarksOf({ preflight, refusal, forced, notes }: ToldExchange): string {
  if (!refusal && !forced && notes.length === 0) return ''
  const force = forced ? `forced ${forced}` : ''
  const why = [force, refusal && failure(refusal.message, preflight)].filter(Boolean).join(': ')

  return [why, ...notes.map(remark)].filter(Boolean).join('; ')
}

/** Why a request was refused. Browsers do not tell the page why its preflight failed, so the log does. */
function failure(why: string, preflight: Preflight | undefined): string {
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

function styleOf(status: number): Style {
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
