import type { ControlAction } from '../control/action.ts'
import { worldPath } from '../http/world-path.ts'
import type { Exchange } from '../journal/exchange.ts'
import { OWN_WORLD, type WorldListener } from '../sandbox/worlds.ts'
import type { UnroutedRequest } from '../transports/server.ts'
import {
  clockTime,
  failure,
  type Output,
  type Paint,
  prettyLine,
  printable,
  styleOf,
  toJson,
} from './log.ts'
import type { Log } from './read-setting.ts'

/** What writes a line for each exchange, and for what is none. */
export type RequestLog = WorldListener & Remarks

interface Remarks {
  /** Writes that a world had to go for a newer one. */
  readonly dropped: (world: string, time: number) => void
  /** Writes what was done by the control interface. */
  readonly action: (action: ControlAction, time: number) => void
  /** Writes of a request that reached no world. */
  readonly stray: (stray: UnroutedRequest, time: number) => void
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
          action: (action, time) => write(actionJson(action, time)),
        }
      : {
          dropped: (world, time) => write(droppedLine(world, time, paint)),
          stray: (stray, time) => write(strayLine(stray, time, paint)),
          action: (action, time) => write(actionLine(action, time, paint)),
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
  return world === OWN_WORLD ? '' : worldPath(world)
}

function jsonLine(exchange: Exchange, world: string): string {
  const { time, ...rest } = exchange
  return timedLine({ time, ...(world !== OWN_WORLD && { world }), ...rest })
}

function timedLine({ time, ...rest }: Record<string, unknown> & { readonly time: number }): string {
  return toJson({ time: new Date(time).toISOString(), ...rest })
}

function droppedLine(world: string, time: number, paint: Paint): string {
  const line = `the world ${printable(world)} is dropped for a newer one: --worlds allows no more`
  return `${paint('dim', clockTime(time))}  ${paint('yellow', line)}`
}

/** As a line of an exchange, which has more to tell. */
function strayLine(
  { method, target, status, message, preflight }: UnroutedRequest,
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

/** In JSON, `control` tells what was done, as `operation` tells it of a request to the API. */
function actionJson({ operation, ...action }: ControlAction, time: number): string {
  return timedLine({ time, control: operation ?? null, ...action })
}

/** Time, method, status, address, what was done with what, and why it was refused. */
function actionLine(action: ControlAction, time: number, paint: Paint): string {
  const { method, status, target, operation, input, created, refusal, preflight } = action
  const words = Object.entries({ ...input, ...(created !== undefined && { created }) }).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const parts = [
    paint('dim', clockTime(time)),
    printable(method).padEnd(6),
    paint(styleOf(status), String(status)),
    printable(target),
    ...(operation === undefined ? [] : [printable([operation, ...words].join(' '))]),
    ...(refusal
      ? [paint('yellow', printable(failure(refusal.message ?? refusal.code, preflight)))]
      : []),
  ]
  return parts.join('  ')
}
