import type { AuthMode, SecurityScheme } from '../access/security-scheme.ts'
import type { Contract } from '../contract/contract.ts'
import { alternativesOf } from '../contract/credentials.ts'
import { CONTROL_PATH } from '../http/paths.ts'
import { resolveAuth } from '../sandbox/options.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { count, plural } from '../validation/usage-error.ts'
import { describeMistakes, type KnownMistakes } from './diagnostics.ts'
import type { FirstRequest } from './first-request.ts'
import type { ServeSettings } from './settings.ts'
import type { OpenedState } from './state/open-state.ts'
import { type Paint, printable, table, toJsonLine } from './terminal.ts'

/** What a start says about the server and its document, besides what the sandbox knows. */
export interface ServerStart {
  /** The origin of the server, such as `http://127.0.0.1:4010`. */
  readonly origin: string
  /** The address for clients behind a proxy, such as `https://example.com/sandbox`. */
  readonly publicUrl?: string | undefined
  /** Absent without a control interface. */
  readonly control?: {
    /** The token for other machines, if this start generated it. */
    readonly newToken?: string
  }
  /** The store that has the state, without its password, and the name of this server. */
  /** The secret with which deliveries are signed whose subscription has none. Default: that of the sandbox. */
  readonly webhookSecret?: string
  readonly shared?: { readonly store: string; readonly instance: string } | undefined
  /** The address of the metrics; absent without a port for them. */
  readonly metrics?: string | undefined
  /** The mistakes of the document that are known; absent without any. */
  readonly mistakes?: KnownMistakes | undefined
  /** A request to copy; absent when no operation can be requested. */
  readonly firstRequest?: FirstRequest | undefined
}

/**
 * The message after the start: the address of the API, its keys with their plans, or what it accepts when it has no keys, and a
 * curl command to copy. `auth` is by default that of the document.
 */
export function startupMessage(
  sandbox: Sandbox,
  start: ServerStart,
  paint: Paint,
  auth: boolean | AuthMode = true,
): string {
  const { title, version, basePath, operations } = sandbox.contract
  const { origin, publicUrl, control, shared, metrics, mistakes, firstRequest } = start
  const { webhookSecret } = start

  return [
    '',
    `${paint('bold', printable(title))} ${printable(version)}, sandbox at ${paint('cyan', `${origin}${basePath}`)}`,
    ...(publicUrl === undefined
      ? []
      : [`Public address: ${paint('cyan', printable(`${publicUrl}${basePath}`))}`]),
    describeCount(operations.length, 'operation'),
    ...(mistakes ? [paint('yellow', printable(describeMistakes(mistakes)))] : []),
    '',
    ...accessLines(sandbox, auth),
    '',
    ...tryLines(firstRequest),
    ...signInLines(sandbox, publicUrl ?? origin, paint),
    ...(control
      ? [
          `Dashboard and control interface: ${paint('cyan', `${origin}${CONTROL_PATH}`)}${tokenLine(control.newToken)}`,
        ]
      : []),
    ...(shared
      ? [
          `State: in the store ${paint('cyan', printable(shared.store))}, instance ${printable(shared.instance)}`,
        ]
      : []),
    ...webhookLines(sandbox, webhookSecret ?? sandbox.events.secret, paint),
    ...(metrics === undefined ? [] : [`Metrics: ${paint('cyan', metrics)}`]),
    ...(control || shared || metrics !== undefined ? [''] : []),
    paint('dim', 'Press Ctrl+C to stop. For options, run: pet-sandbox --help'),
    '',
    '',
  ].join('\n')
}

/** The keys with their plans; without keys, what is accepted. */
function accessLines({ contract, keys, plans }: Sandbox, auth: boolean | AuthMode): string[] {
  if (keys.length === 0) {
    const [plan] = plans
    const accepted = describeAccepted(resolveAuth(auth, contract), contract)
    const quota = plan ? ` Plan ${plan.name}: ${describeQuota(plan)}.` : ''
    return [`  ${printable(accepted + quota)}`]
  }
  const rows = keys.map(({ key, plan, always }) => [
    key,
    plan?.name ?? '-',
    (always && ALWAYS[always]) ?? (plan ? describeQuota(plan) : 'any number'),
  ])
  return table([['KEY', 'PLAN', 'REQUESTS'], ...rows]).map((line) => `  ${printable(line)}`)
}

const ALWAYS = {
  'rate-limited': 'always 429: the quota of the minute is exhausted',
  'day-exhausted': 'always 429: the quota of the day is exhausted',
  banned: 'always 429: the key is banned',
} as const

function describeQuota({ minute, day }: { readonly minute: number; readonly day: number }): string {
  return `${grouped(minute)} a minute, ${grouped(day)} a day`
}

/** Where events go, and the secret that receivers need; nothing for an API without any. */
function webhookLines(
  { events, contract }: Sandbox,
  secret: string,
  paint: Paint,
): readonly string[] {
  const { receivers } = events
  const hasSubscriptions = (contract.subscriptions ?? []).length > 0
  if (receivers.length === 0 && !hasSubscriptions) return []
  const to = receivers.length > 0 ? receivers.map(printable).join(', ') : 'subscriptions'

  return [`Webhooks: to ${to}, signed with ${paint('cyan', printable(secret))}`]
}

/** The addresses at which clients get tokens; nothing for an API without any. */
function signInLines({ contract }: Sandbox, root: string, paint: Paint): readonly string[] {
  const { paths = {} } = contract.signIn ?? {}
  const named = SIGN_IN.flatMap(([endpoint, label]) => {
    const path = paths[endpoint]
    return path === undefined ? [] : [[label, paint('cyan', printable(root + path))]]
  })
  if (named.length === 0) return []
  return ['Sign-in:', ...table(named).map((line) => `  ${line}`), '']
}

const SIGN_IN = [
  ['authorize', 'page'],
  ['token', 'tokens'],
  ['openid-configuration', 'discovery'],
] as const

/** `1 operation`, `1,200 operations`. */
function describeCount(number: number, noun: string): string {
  return `${grouped(number)} ${plural(number, noun)}`
}

/** An integer in groups of three digits. A formatter of `Intl` takes a tenth of the start. */
function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** The first request. Its status is mentioned when it is not the one that users expect. */
function tryLines(first: FirstRequest | undefined): readonly string[] {
  if (!first) return []
  const isSuccess = first.status >= 200 && first.status < 300
  const title = isSuccess ? 'Try it:' : `Try it (the response has the status ${first.status}):`

  return [title, `  ${printable(first.curl)}`, '']
}

function tokenLine(token: string | undefined): string {
  return token === undefined ? '' : `\n  Other machines must send: Authorization: Bearer ${token}`
}

/**
 * What nobody but the server can know, each on a line: the address when the system chose the port, a generated token, and the
 * address of the metrics when the system chose their port.
 */
export function silentStart(
  { contract }: Pick<Sandbox, 'contract'>,
  { origin, control, metrics }: Pick<ServerStart, 'origin' | 'control' | 'metrics'>,
  ports: { readonly port: number; readonly metricsPort?: number | undefined },
): string {
  const lines = [
    ports.port === 0 ? `${origin}${contract.basePath}` : undefined,
    control?.newToken,
    ports.metricsPort === 0 ? metrics : undefined,
  ]
  return lines.flatMap((line) => (line === undefined ? [] : `${line}\n`)).join('')
}

/** The same as one line of JSON. */
export function startupJson(
  { contract, keys }: Sandbox,
  { origin, publicUrl, control, shared, metrics, mistakes, firstRequest }: ServerStart,
): string {
  const { title, version, basePath, operations } = contract
  const plans = Object.fromEntries(keys.map(({ key, plan }) => [key, plan?.name ?? null]))
  const message = {
    listening: `${origin}${basePath}`,
    ...(publicUrl !== undefined && { public: `${publicUrl}${basePath}` }),
    title,
    version,
    operations: operations.length,
    diagnostics: mistakes,
    keys: plans,
    firstRequest,
    signIn:
      contract.signIn && Object.keys(contract.signIn.paths).length > 0
        ? contract.signIn.paths
        : undefined,
    ...shared,
    metrics,
    ...(control && {
      dashboard: `${origin}${CONTROL_PATH}`,
      control: `${origin}${CONTROL_PATH}`,
      controlToken: control.newToken,
    }),
  }

  return `${toJsonLine(message)}\n`
}

/** A line that people read at once, with room for the quota after it. */
const MAX_LENGTH = 130

/**
 * What a sandbox accepts, in a sentence for people, such as `Accepted: any bearer token.` It names the schemes that operations
 * require, in the order in which operations prefer them, and each kind once. What makes the line too long is counted.
 */
export function describeAccepted(
  auth: AuthMode,
  contract: Pick<Contract, 'operations' | 'securitySchemes'>,
): string {
  const schemes = requiredSchemes(contract)
  if (auth === 'off' || schemes.length === 0) return 'No credentials are needed.'
  if (auth === 'issued') return 'Only tokens that the sandbox issues are accepted.'
  if (auth === 'keys') return 'Only API keys of the sandbox are accepted, and it has none yet.'
  const places = placesByKind(schemes)
  const most = Math.max(...[...places.values()].map(({ size }) => size))
  let line = ''
  for (let shown = Math.min(most, MAX_PLACES); shown >= 0; shown -= 1) {
    const kinds = [...places].map((kind) => describeKind(...kind, shown))
    line = `Accepted: ${withCount(kinds, MAX_KINDS, 'other kind').join(', or ')}.`
    if (line.length <= MAX_LENGTH) return line
  }
  return line
}

/** More would be a line that nobody reads. */
const MAX_KINDS = 3
const MAX_PLACES = 3

/** The schemes that some operation requires, in the order of operations and of their alternatives. */
function requiredSchemes(
  contract: Pick<Contract, 'operations' | 'securitySchemes'>,
): readonly SecurityScheme[] {
  const requirements = new Map<string, readonly (readonly SecurityScheme[])[]>()
  for (const operation of contract.operations) {
    if (!operation.secured) continue
    const key = JSON.stringify(operation.security ?? null)
    if (!requirements.has(key)) requirements.set(key, alternativesOf(operation, contract))
  }
  return [...new Set([...requirements.values()].flat(2))]
}

const LOCATIONS = { header: 'header', query: 'query parameter', cookie: 'cookie' } as const

/** The places where each kind of credential is sent, in the order of the schemes. A kind with one place has no name for it. */
function placesByKind(
  schemes: readonly SecurityScheme[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = new Map<string, Set<string>>()
  for (const scheme of schemes) {
    const [kind, place] = kindOf(scheme)
    const places = kinds.get(kind) ?? new Set()
    kinds.set(kind, place === undefined ? places : places.add(place))
  }
  return kinds
}

function kindOf(scheme: SecurityScheme): readonly [kind: string, place?: string] {
  switch (scheme.type) {
    case 'bearer':
      return ['bearer token']
    case 'basic':
      return ['user name and password']
    case 'http':
      return scheme.scheme === ''
        ? ['Authorization header']
        : ['credential', `the scheme ${scheme.scheme}`]
    case 'mutual-tls':
      return ['client certificate']
    default:
      return ['API key', `the ${LOCATIONS[scheme.type]} ${scheme.parameter}`]
  }
}

/** `any API key in the header X-Key or 2 other places`. */
function describeKind(kind: string, places: ReadonlySet<string>, shown: number): string {
  if (places.size === 0 || shown === 0) return `any ${kind}`
  const listed = withCount([...places], shown, 'other place')
  const last = listed.at(-1) ?? ''

  return `any ${kind} in ${[listed.slice(0, -1).join(', '), last].filter(Boolean).join(' or ')}`
}

/** The first texts, and the number of the others. */
function withCount(texts: readonly string[], shown: number, noun: string): readonly string[] {
  const others = texts.length - shown
  return others > 0 ? [...texts.slice(0, shown), count(others, noun)] : texts
}

/** The line of the startup message about the state. */
export function stateLine({ name, restoredRecords }: OpenedState, settings: ServeSettings): string {
  if (settings.log === 'json')
    return `${JSON.stringify({ state: name, records: restoredRecords ?? null })}\n`
  if (restoredRecords === undefined) return `\nThe state is saved to ${name}.\n`
  const records = `${grouped(restoredRecords)} record${restoredRecords === 1 ? '' : 's'}`
  const ignored = INITIAL.filter((setting) => settings[setting] !== undefined)
  const note = ignored.length > 0 ? ` (ignored: ${ignored.join(', ')})` : ''

  return `\nRestored ${records} from ${name}${note}\n`
}

/** The settings that only apply to a start without a saved state. */
const INITIAL = ['records', 'seed', 'scenario'] as const
