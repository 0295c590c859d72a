import { stripVTControlCharacters, styleText } from 'node:util'
import { httpDate } from '../clock.ts'
import type { Exchange, Note, ToldExchange } from '../exchange.ts'
import { OWN, type WorldListener } from '../sandbox/worlds.ts'
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

/** What writes one line for each exchange; `undefined` for a silent log. */
export function createLog(
  log: Log,
  basePath: string,
  output: Output,
  paint: Paint,
): WorldListener | undefined {
  if (log === 'silent') return undefined
  const write = inBatches(output)

  return log === 'json'
    ? (exchange, world) => write(jsonLine(exchange, world))
    : (exchange, world) => write(prettyLine(exchange, placeOf(world) + basePath, paint))
}

/** Lines wait so long for others, in milliseconds: a write for each would cost more than its answer. */
const BATCH = 20

function inBatches(output: Output): (line: string) => void {
  let lines: string[] = []
  return (line) => {
    if (lines.length === 0) {
      setTimeout(() => {
        output.write(`${lines.join('\n')}\n`)
        lines = []
      }, BATCH)
    }
    lines.push(line)
  }
}

/** What the addresses of a world start with. */
function placeOf(world: string): string {
  return world === OWN ? '' : `/worlds/${world}`
}

function jsonLine({ time, ...exchange }: Exchange, world: string): string {
  const place = world === OWN ? {} : { world }
  const text = JSON.stringify({ time: new Date(time).toISOString(), ...place, ...exchange })
  // JSON leaves these as they are, and some terminals obey them.
  return text.replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
}

/** Time, method, path, status, plan, requests left, milliseconds, and why it was refused. */
export function prettyLine(exchange: ToldExchange, basePath: string, paint: Paint): string {
  const {
    time,
    method,
    target,
    status,
    caller,
    plan,
    quota,
    milliseconds,
    refusal,
    forced,
    notes,
  } = exchange
  const left = Math.min(quota.after.minute, quota.after.day)
  const force = forced ? `forced ${forced}` : ''
  const why = [force, refusal?.message].filter(Boolean).join(': ')
  const remarks = [why, ...notes.map(remark)].filter(Boolean).join('; ')

  return [
    paint('dim', httpDate(time).slice(17, 25)),
    method.padEnd(6),
    paint(styleOf(status), String(status)),
    printable(basePath + target),
    paint('dim', `${CALLERS[caller] ?? plan}, ${left} left, ${milliseconds.toFixed(1)} ms`),
    paint('yellow', printable(remarks)),
  ]
    .filter((part) => part !== '')
    .join('  ')
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

/** What clients send must not steer the terminal. */
export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')
}
