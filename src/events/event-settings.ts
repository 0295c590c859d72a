import type { DeliveryFault } from '../forcing/outcomes.ts'
import { RandomSource } from '../generate/random.ts'
import { type Duration, delayOf } from '../time/duration.ts'
import { refuseUnknown, suggest, UsageError } from '../validation/usage-error.ts'
import type { Refused } from './delivery.ts'

/** The forms in which deliveries are signed. */
export const SIGNATURES = ['standard', 'github', 'stripe', 'twilio', 'bearer', 'none'] as const

/**
 * The form of the signature: `standard` is Standard Webhooks, `github` is `X-Hub-Signature-256`, `stripe` is `Stripe-Signature`, `twilio`
 * is `X-Twilio-Signature`, `bearer` sends the secret itself, and an object names the header of a plain HMAC-SHA-256 in hexadecimal digits.
 */
export type SignatureForm = (typeof SIGNATURES)[number] | { readonly header: string }

/** Why a fault is not shown by a form of signatures; `undefined` when it is. */
export function unshownFault(fault: DeliveryFault, form: SignatureForm): string | undefined {
  if (fault !== 'wrong-signature' && fault !== 'old-timestamp') return undefined
  if (form === 'none') return 'deliveries are not signed'
  const hasTime = form === 'standard' || form === 'stripe'
  return fault === 'old-timestamp' && !hasTime
    ? 'signatures of this form have no timestamp'
    : undefined
}

/** What a sandbox does with events. All are optional. */
export interface EventOptions {
  /** An address that gets every event without a subscription, or several. */
  readonly to?: string | readonly string[]
  /**
   * Hosts besides this machine to which subscriptions may lead, as `hooks.test` or `hooks.test:8080`; `*` stands for all. By default, none:
   * their deliveries go to the first address of `to`, if there is one, and are refused otherwise. With your own `deliver`, all.
   */
  readonly allow?: readonly string[]
  /** Whether subscriptions may lead to this machine. By default, `true`. */
  readonly thisMachine?: boolean
  /** The secret with which deliveries are signed whose subscription has none. By default, one that follows from the seed. */
  readonly secret?: string
  /** The form of the signature. By default, `standard`: Standard Webhooks. */
  readonly signature?: SignatureForm
  /** The time of each retry after the attempt before it. By default, `['5s', '5m', '30m', '2h', '5h', '10h']`. */
  readonly retries?: readonly Duration[]
  /**
   * `strict`: while an event is repeated, the later events of its receiver wait until it is accepted or given up. By default, a retry holds up
   * nothing.
   */
  readonly ordered?: 'strict'
  /**
   * The clock of the timestamps in signatures: `real`, because receivers compare them with their own clock, or `sandbox`, for tests with
   * fake timers. By default, `real`.
   */
  readonly timestamps?: 'real' | 'sandbox'
  /** How long a receiver may take, of real time. By default, 10 seconds. */
  readonly timeout?: Duration
  /**
   * Sends a delivery, and resolves with the receiver's response. By default, `fetch`.
   */
  readonly deliver?: (request: Request) => Promise<Response>
  /**
   * Called for each delivery that is refused: because nothing may be sent to its address, because too many are pending, or because a receiver causes
   * the same event again and again. By default, only the deliveries tell.
   */
  readonly onRefusal?: (refused: Refused) => void
}

/** The options about events, complete and checked. */
export interface EventSettings {
  readonly to: readonly string[]
  readonly allow: readonly string[]
  readonly thisMachine: boolean
  readonly secret: string | undefined
  readonly signature: SignatureForm
  /** In milliseconds. */
  readonly retries: readonly number[]
  readonly ordered: 'strict' | undefined
  readonly timestamps: 'real' | 'sandbox'
  /** In milliseconds. */
  readonly timeout: number
  readonly deliver: ((request: Request) => Promise<Response>) | undefined
  readonly onRefusal: ((refused: Refused) => void) | undefined
}

const DEFAULTS = {
  to: [],
  allow: undefined,
  thisMachine: true,
  secret: undefined,
  signature: 'standard',
  retries: ['5s', '5m', '30m', '2h', '5h', '10h'],
  ordered: undefined,
  timestamps: 'real',
  timeout: '10s',
  deliver: undefined,
  onRefusal: undefined,
} as const satisfies { readonly [Name in keyof EventOptions]-?: unknown }

/** Checks the options about events and adds the defaults. Throws a UsageError that names the option. */
export function resolveEventOptions(options: EventOptions = {}): EventSettings {
  refuseUnknown('use the option events', options, Object.keys(DEFAULTS))
  const given = { ...DEFAULTS, ...options }
  const to = [given.to].flat()
  for (const address of to) requireAddress(address)
  requireSignature(given.signature)
  if (!['real', 'sandbox'].includes(given.timestamps)) {
    throw invalidOption(`timestamps must be "real" or "sandbox" (got "${given.timestamps}")`)
  }
  if (![undefined, 'strict'].includes(given.ordered)) {
    throw invalidOption(`ordered must be "strict" (got "${given.ordered}")`)
  }
  const allow = options.allow ?? (given.deliver ? ['*'] : [])
  const url = allow.find((one) => /[/\s]|^$/.test(one))
  if (url !== undefined) {
    throw invalidOption(`"${url}" in allow is not a host`, 'Write hooks.test or hooks.test:8080.')
  }
  const timeout = delayOf(given.timeout)
  if (timeout === 0) throw invalidOption('timeout must be longer than 0')

  return {
    to,
    allow,
    thisMachine: given.thisMachine,
    secret: given.secret,
    signature: given.signature,
    retries: [given.retries].flat().map(delayOf),
    ordered: given.ordered,
    timestamps: given.timestamps,
    timeout,
    deliver: given.deliver,
    onRefusal: given.onRefusal,
  }
}

const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789']

/** The id of an event. */
export function eventId(random: Pick<RandomSource, 'pick'>): string {
  return `evt_${textOf(random, 24)}`
}

/** The secret of a sandbox, which follows from its seed unless it was given: `whsec_` and base64, as Standard Webhooks writes secrets. */
export function secretOf({
  events,
  seed,
}: {
  readonly events: Pick<EventSettings, 'secret'>
  readonly seed: number
}): string {
  return events.secret ?? `whsec_${textOf(RandomSource.from([seed, 'webhook secret']), 32)}`
}

function textOf(random: Pick<RandomSource, 'pick'>, length: number): string {
  return Array.from({ length }, () => random.pick(CHARACTERS)).join('')
}

/** Throws a UsageError for what is no address of a receiver. */
export function requireAddress(address: string, task: string = TASK): void {
  if (URL.canParse(address) && /^https?:/i.test(address)) return
  throw invalidOption(
    `"${address}" is not a URL with http: or https:`,
    'Write the address of the receiver, such as http://127.0.0.1:3000/hooks.',
    task,
  )
}

function requireSignature(form: unknown): void {
  if (SIGNATURES.some((one) => one === form)) return
  const header = Object(form).header
  if (typeof header === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(header)) return
  const { suggestion } = suggest(String(form), SIGNATURES)
  throw invalidOption(
    `unknown signature "${header ?? form}"`,
    suggestion === undefined
      ? `Use one of ${SIGNATURES.join(', ')}, or { header: "X-Signature" }.`
      : `Did you mean "${suggestion}"?`,
  )
}

const TASK = 'use the option events'

function invalidOption(reason: string, help?: string, task: string = TASK): UsageError {
  return new UsageError({
    code: 'invalid_option',
    task,
    reason,
    help: help ?? 'See the guide, "Webhooks".',
  })
}
