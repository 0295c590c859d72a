import type { Contract } from '../contract/contract.ts'
import type { ControlAction } from '../control/action.ts'
import type { Diagnostic } from '../document/diagnostic.ts'
import { worldPath } from '../http/paths.ts'
import type { Preflight } from '../http/response-headers.ts'
import { type Exchange, type ExchangeSummary, maskTokens, type Note } from '../journal/exchange.ts'
import { hintText, listHints } from '../resources/behaviour/doubts.ts'
import { describeReason } from '../resources/behaviour/explain-operations.ts'
import { bindingOf } from '../resources/bind.ts'
import { OWN_WORLD, type WorldListener } from '../sandbox/worlds.ts'
import { httpDate } from '../time/clock.ts'
import type { UnroutedRequest } from '../transports/node-request.ts'
import { diagnosticLine } from './diagnostics.ts'
import type { LogFormat } from './setting-values.ts'
import { type Output, type Paint, printable, type Style, toJsonLine } from './terminal.ts'

/** Writes one log line for each exchange and each other event. */
export type RequestLog = WorldListener & EventLog

interface EventLog {
  /** Warns that an operation answers without stored records. */
  readonly fallback: (fallback: Fallback, time: number) => void
  /** Logs that a world was dropped: there are too many worlds, or it is that of a key which was not used. */
  readonly dropped: (world: string, time: number) => void
  /** Logs a request to the control interface. */
  readonly action: (action: ControlAction, time: number) => void
  /** Logs a request that reached no world. */
  readonly unrouted: (request: UnroutedRequest, time: number) => void
  /** Logs a mistake of the document that was found while it is served. */
  readonly mistake: (mistake: Diagnostic, time: number) => void
}

interface LogOptions {
  /** Returns the contract that is served, which a reload may change. */
  readonly contract: () => Contract
  readonly output: Output
  readonly paint: Paint
  /** The name of the server, which lines of JSON have. */
  readonly instance?: string | undefined
  /** Whether worlds of keys are dropped when they are not used. */
  readonly hasWorldTtl?: boolean
}

/** Makes a line of JSON that starts with its time. */
type TimedLine = (fields: Record<string, unknown> & { readonly time: number }) => string

/** Creates a request log; `undefined` for the format `silent`. */
export function createLog(
  log: LogFormat,
  { contract, output, paint, instance, hasWorldTtl = false }: LogOptions,
): RequestLog | undefined {
  if (log === 'silent') return undefined
  const timedLine: TimedLine = ({ time, ...rest }) =>
    toJsonLine({
      time: new Date(time).toISOString(),
      ...(instance !== undefined && { instance }),
      ...rest,
    })
  const write = inBatches(output)
  // Endpoints of sign-in are beside the base path.
  const prefixOf = ({ endpoint }: Exchange, world: string): string =>
    worldPrefix(world) + (endpoint === undefined ? contract().basePath : '')
  const lineOf: (exchange: Exchange, world: string) => string =
    log === 'json'
      ? (one, world) => timedLine(withWorld(one, world))
      : (one, world) => exchangeLine(one, prefixOf(one, world), paint)
  const findFallback = createFallbackFinder(contract)
  const exchange: WorldListener = (one, world) => {
    write(lineOf(one, world))
    const fallback = findFallback(one)
    if (fallback) events.fallback(fallback, one.time)
  }
  const events: EventLog =
    log === 'json'
      ? {
          dropped: (world, time) => write(timedLine({ time, world, dropped: true })),
          unrouted: (request, time) => write(timedLine({ time, ...withoutTokens(request) })),
          action: (action, time) => write(timedLine(actionFields(action, time))),
          mistake: (diagnostic, time) => write(timedLine({ time, diagnostic })),
          fallback: (fallback, time) => write(timedLine({ time, fallback })),
        }
      : {
          dropped: (world, time) => write(droppedLine(world, time, { paint, hasWorldTtl })),
          unrouted: (request, time) => write(unroutedLine(withoutTokens(request), time, paint)),
          action: (action, time) => write(actionLine(action, time, paint)),
          mistake: (diagnostic, time) => write(warning(diagnosticLine(diagnostic), time, paint)),
          fallback: (fallback, time) => write(warning(describeFallback(fallback), time, paint)),
        }

  return Object.assign(exchange, events)
}

/**
 * How long a batch of lines waits, in milliseconds. A write for each line would cost more than the response. After a longer
 * time, the batch of a busy server could fill a pipe, and the server would wait for the reader.
 */
const BATCH_MS = 5

/** The size of a full batch, which is written at once. */
const BATCH_BYTES = 64 * 1024

/** Batches are bytes, because the garbage collector would copy strings again and again. */
function inBatches(output: Output): (line: string) => void {
  const bytes = Buffer.alloc(BATCH_BYTES)
  let used = 0
  const flush = (): void => {
    if (used > 0) output.write(bytes.toString('utf8', 0, used))
    used = 0
  }
  return (line) => {
    // A UTF-16 code unit has at most three bytes in UTF-8.
    const maxBytes = 3 * line.length + 1
    if (used + maxBytes > BATCH_BYTES) flush()
    if (maxBytes > BATCH_BYTES) return void output.write(`${line}\n`)
    if (used === 0) setTimeout(flush, BATCH_MS)
    used += bytes.write(`${line}\n`, used)
  }
}

/** The path prefix of a world. */
function worldPrefix(world: string): string {
  return world === OWN_WORLD ? '' : worldPath(world)
}

function withWorld({ time, ...rest }: Exchange, world: string): Parameters<TimedLine>[0] {
  return { time, ...(world !== OWN_WORLD && { world }), ...rest }
}

function droppedLine(
  world: string,
  time: number,
  { paint, hasWorldTtl = false }: Pick<LogOptions, 'paint' | 'hasWorldTtl'>,
): string {
  const limits = hasWorldTtl
    ? 'dropped: --worlds limits the number of worlds, and --world-ttl how long unused worlds of keys are kept'
    : 'evicted: --worlds limits the number of worlds'
  return warning(`world ${printable(world)} was ${limits}`, time, paint)
}

function warning(line: string, time: number, paint: Paint): string {
  return `${paint('dim', timeOfDay(time))}  ${paint('yellow', line)}`
}

/** The log line of a request that reached no world. */
function unroutedLine(
  { method, target, status, message, preflight }: UnroutedRequest,
  time: number,
  paint: Paint,
): string {
  const refusal = paint('yellow', printable(describeRefusal(message, preflight)))
  return [startOf({ time, method, status, target }, paint), refusal].join('  ')
}

/** A request that reached no world, without the tokens and codes in its address. */
function withoutTokens(request: UnroutedRequest): UnroutedRequest {
  const { target, message } = request
  return { ...request, target: maskTokens(target), message: maskTokens(message) }
}

/** The start of the line of a request: time, method, status and path. */
function startOf(
  { time, method, status, target }: Pick<Exchange, 'time' | 'method' | 'status' | 'target'>,
  paint: Paint,
): string {
  return [
    paint('dim', timeOfDay(time)),
    printable(method).padEnd(6),
    paint(statusStyle(status), String(status)),
    printable(target),
  ].join('  ')
}

/** In JSON, `control` names the control operation, as `operation` names that of an API request. */
function actionFields(
  { operation, ...action }: ControlAction,
  time: number,
): Parameters<TimedLine>[0] {
  return { time, control: operation ?? null, ...action }
}

/** The log line of a control request: time, method, status, path, operation with its input, and refusal. */
function actionLine(action: ControlAction, time: number, paint: Paint): string {
  const { method, status, target, operation, input, created, refusal, preflight } = action
  const inputs = Object.entries({ ...input, ...(created !== undefined && { created }) }).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const parts = [
    startOf({ time, method, status, target }, paint),
    ...(operation === undefined ? [] : [printable([operation, ...inputs].join(' '))]),
    ...(refusal
      ? [paint('yellow', printable(describeRefusal(refusal.message ?? refusal.code, preflight)))]
      : []),
  ]
  return parts.join('  ')
}

/** The time of day, such as `13:05:09`. */
function timeOfDay(time: number): string {
  return httpDate(time).slice(17, 25)
}

/**
 * The log line of an exchange: time, method, status, path, plan (without plans: the end of the credential), remaining requests,
 * milliseconds, and remarks.
 */
export function exchangeLine(exchange: ExchangeSummary, basePath: string, paint: Paint): string {
  const { time, method, target, status, caller, plan, quota, milliseconds } = exchange
  const details = [
    CALLERS[caller] ?? printable(plan ?? callerOf(exchange)),
    quota ? `${Math.min(quota.after.minute, quota.after.day)} left` : '',
    `${milliseconds.toFixed(1)} ms`,
  ].filter((text) => text !== '')
  const start = startOf({ time, method, status, target: basePath + target }, paint)
  const line = `${start}  ${paint('dim', details.join(', '))}`
  const remarks = remarksOf(exchange)

  return remarks === '' ? line : `${line}  ${paint('yellow', printable(remarks))}`
}

/** The end of a key. Of a key that is too short to show it, the beginning of an id, which tells it apart from others. */
function callerOf({ key = '', client = '' }: ExchangeSummary): string {
  return key === '…' ? `…#${client.slice(0, 4)}` : key
}

/** The refusal or forced outcome of an exchange, what its response is made of but stored records, and the notes about its request. */
function remarksOf(exchange: ExchangeSummary): string {
  const { preflight, refusal, forced, notes, source, sourceReason } = exchange
  if (!refusal && !forced && !sourceReason && notes.length === 0) return ''
  const forcedText = forced ? `forced ${forced}` : ''
  const reason = [forcedText, refusal && describeRefusal(refusal.message, preflight)]
    .filter(Boolean)
    .join(': ')

  const madeOf = sourceReason ? `${source}: ${sourceReason}` : ''

  return [reason, madeOf, ...notes.map(remark)].filter(Boolean).join('; ')
}

/** Describes a refusal. Browsers do not tell a page why its preflight failed, so the log must. */
function describeRefusal(message: string, preflight: Preflight | undefined): string {
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
    case 'overruled-property':
      return `${place} is as in the path`
    case 'unkept-property':
      return `${place} is not kept`
    case 'unread-filter':
      return `${place} selects nothing`
    case 'unmade-records':
      return `no record can be made: ${place}`
    case 'undocumented-conflict':
      return `the document has no response for the conflict at ${place}`
    case 'invalid-input':
      return `${place} is not valid`
    case 'deprecated-operation':
      return `${place} is deprecated`
    case 'sign-in':
      return place
    case 'granted-scopes':
      return place === '' ? '' : `scopes: ${place}`
    case 'invalid-answer':
      return `the answer is not as documented: ${place}`
    default:
      return `${place} ignored`
  }
}

/** The style of a status. */
function statusStyle(status: number): Style {
  if (status >= 500 || status === 0) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

/** An operation whose answer contains no stored records, and what would change that. */
export interface Fallback {
  readonly operation: string
  readonly source: NonNullable<ExchangeSummary['source']>
  readonly reason: string
  /** What to do, for people. */
  readonly help?: string
  /** The hint for the operation, ready to paste. */
  readonly hint?: string
}

/** Finds the first exchange of each operation whose answer contains no stored records, unless the document or the request says so. */
export function createFallbackFinder(
  contract: () => Contract,
): (exchange: ExchangeSummary) => Fallback | undefined {
  const found = new Set<string>()

  return (exchange) => {
    const { operation, source, sourceReason: reason, forced } = exchange
    if (!operation || !source || reason === undefined || forced !== undefined) return undefined
    const key = `${operation} ${source} ${reason}`
    if (found.has(key)) return undefined
    found.add(key)

    return fallbackOf({ operation, source, reason }, contract())
  }
}

function fallbackOf(fallback: Fallback, contract: Contract): Fallback | undefined {
  if (fallback.source === 'invented')
    return { ...fallback, help: 'To make it a 404, start with --unknown-ids 404.' }
  const operation = contract.operations.find(({ id }) => id === fallback.operation)
  const binding = operation && bindingOf(contract, operation)
  if (binding?.action !== 'stateless' || binding.reason === 'hint') return undefined
  // A request that prefers an example says nothing about the next one.
  if (fallback.reason !== describeReason(binding.reason, binding.operation)) return undefined
  const hints = listHints(binding.operation, contract)
  if (!hints) return fallback
  const hint = hintText(hints)

  return {
    ...fallback,
    help: `To make it list the records of ${hints.resource}, add this hint to it: ${hint}`,
    hint,
  }
}

/** `findPets answers with a generated body: it searches. To make it …` */
export function describeFallback({ operation, source, reason, help }: Fallback): string {
  const what = `${operation} answers with ${BODIES[source]}: ${reason}.`
  return help === undefined ? what : `${what} ${help}`
}

const BODIES: Readonly<Record<Fallback['source'], string>> = {
  record: 'a stored record',
  handler: 'code of its own',
  invented: 'a record that is made up',
  example: 'an example of the document',
  generated: 'a generated body',
}
